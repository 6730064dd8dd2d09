//! The names that a module's file may not have, by language: what the language itself looks for under them.

use super::Language;

/// Names of devices on Windows, whatever follows a dot behind them.
const DEVICES: &str = "aux com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 con lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 \
    lpt7 lpt8 lpt9 nul prn";

/// Modules of the standard library from Python 3.10 to 3.14, which a file of the same name would shadow, and the
/// files that its tools look for.
const PYTHON: &str = "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop \
    base64 bdb binascii binhex bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop collections \
    colorsys compileall compression concurrent configparser conftest contextlib contextvars copy copyreg crypt csv ctypes \
    curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler \
    fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib \
    grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword \
    lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt \
    multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib \
    pdb pickle pickletools pip pipes pkgutil platform plistlib poplib posix posixpath pprint profile profiling pstats pty \
    pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched \
    secrets select selectors selvedge setup setuptools shelve shlex shutil signal site sitecustomize smtpd smtplib sndhdr \
    socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct \
    subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios test textwrap this \
    threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing \
    typing_extensions unicodedata unittest urllib usercustomize uu uuid venv warnings wave weakref webbrowser winreg \
    winsound wsgiref xdrlib xml xmlrpc xxlimited xxsubtype zipapp zipfile zipimport zlib zoneinfo";

/// Roots of crates, and crates that a module of the same name would make ambiguous.
const RUST: &str = "alloc build core lib main proc_macro selvedge serde serde_json std test";

/// What a folder is imported by, and our own file.
const TYPESCRIPT: &str = "index selvedge";

/// Returns whether a module's file may not be named like this; the words of the language come besides.
pub(super) fn reserves(language: Language, name: &str) -> bool {
    let own = match language {
        // Modules of Gleam are in a folder of their own.
        Language::Gleam => "",
        Language::TypeScript => TYPESCRIPT,
        Language::Python => PYTHON,
        Language::Rust => RUST,
    };
    DEVICES.split(' ').chain(own.split(' ')).any(|word| !word.is_empty() && word == name)
}
