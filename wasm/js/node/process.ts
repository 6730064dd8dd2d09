// The server's process: a group of its own, an environment without secrets, and signals that reach the group.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { ExitStatus, OpenFailure } from "selvedge";

/** How a server is started. The command is never read by a shell. */
export interface ServerCommand {
  /** The name of a program in `PATH`, or its path. */
  command: string;
  /** What the program is given, each as it stands. */
  args?: readonly string[];
  /** What the server sees beside the few variables that are inherited (`PATH`, `HOME`, `LANG`, …). */
  env?: Readonly<Record<string, string>>;
  /** The folder that the server works in; by default the host's. */
  cwd?: string;
}

/** The process of a server, and its three streams. */
export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const IS_WINDOWS = process.platform === "win32";

/** What programs need to find their files, speak the user's language and trust the user's certificates. */
const ALLOWED = new Set(
  IS_WINDOWS
    ? [
        ["ALLUSERSPROFILE", "APPDATA", "COMMONPROGRAMFILES", "COMPUTERNAME", "COMSPEC", "HOMEDRIVE", "HOMEPATH"],
        ["LANG", "LOCALAPPDATA", "NODE_EXTRA_CA_CERTS", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT"],
        ["PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SSL_CERT_DIR"],
        ["SSL_CERT_FILE", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "TZ", "USERNAME", "USERPROFILE", "WINDIR"],
        ["LC_ALL", "LC_CTYPE", "LC_MESSAGES"],
      ].flat()
    : [
        ["HOME", "LANG", "LANGUAGE", "LOGNAME", "NODE_EXTRA_CA_CERTS", "PATH", "SHELL", "SSL_CERT_DIR"],
        ["SSL_CERT_FILE", "TERM", "TMPDIR", "TZ", "USER"],
        ["LC_ADDRESS", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT", "LC_MESSAGES"],
        ["LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME"],
      ].flat(),
);

/** Returns what of the host's environment a server may see. */
export function inherited(all: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) {
    const key = IS_WINDOWS ? name.toUpperCase() : name;
    // An exported shell function hides code behind any name.
    if (value === undefined || value.startsWith("()")) continue;
    if (ALLOWED.has(key)) kept[name] = value;
  }
  return kept;
}

/** Starts a server; what goes wrong later is an event of the process. */
export function start(server: ServerCommand): Child {
  return spawn(server.command, [...(server.args ?? [])], {
    cwd: server.cwd,
    env: { ...inherited(process.env), ...server.env },
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own: what a wrapper such as `npx` started can be ended with it.
    detached: !IS_WINDOWS,
    windowsHide: true,
  });
}

/** Says why a server did not start. */
export function openFailure(server: ServerCommand, error: NodeJS.ErrnoException): [OpenFailure, string] {
  if (server.cwd !== undefined && !existsSync(server.cwd)) return ["directoryNotFound", server.cwd];
  if (error.code === "ENOENT") return ["commandNotFound", server.command];
  if (error.code === "EACCES") return ["notExecutable", server.command];
  return ["other", error.message];
}

/** Says how a process ended. */
export function exitStatus(code: number | null, signal: NodeJS.Signals | null): ExitStatus {
  if (code !== null) return { code };
  return signal === null ? {} : { signal: constants.signals[signal] };
}

/** Sends a signal to the whole group of a server. One that is gone needs none. */
export function signalGroup(child: Child, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (IS_WINDOWS) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is gone.
  }
}

/** The servers that would outlive a host that exits without closing them. */
const running = new Set<Child>();

function killAll(): void {
  for (const child of running) signalGroup(child, "SIGKILL");
}

/** Has a server killed should the host exit before it. */
export function watch(child: Child): void {
  if (running.size === 0) process.once("exit", killAll);
  running.add(child);
}

/** Leaves a server that has exited alone. */
export function forget(child: Child): void {
  running.delete(child);
  if (running.size === 0) process.removeListener("exit", killAll);
}
