use alloc::{format, string::String, vec::Vec};

use super::*;

/// What must be hidden, and the kind it is counted as; `«` and `»` enclose what must not stay.
const SECRETS: &[(&str, Kind)] = &[
    // Shapes
    ("id: «AKIAIOSFODNN7EXAMPLE»", Kind::Key),
    ("see «ghp_abcdefghij1234567890ABCDEFGHIJ123456».", Kind::Key),
    ("«github_pat_11ABCDEFG0123456789_abcdefghijklmnop»", Kind::Key),
    ("client(«sk-ant-api03-abcDEF123_456-ghiJKL789mno»)", Kind::Key),
    ("«sk-proj-abcdefghijklmnop1234567890»", Kind::Key),
    ("«sk-or-v1-0123456789abcdef0123456789abcdef»", Kind::Key),
    ("«xoxb-123456789012-1234567890123-abcdefABCDEF»", Kind::Key),
    ("POST https://«hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX»", Kind::Key),
    ("«AIzaSyA1234567890abcdefghijklmnopqrstuv»", Kind::Key),
    ("«sk_live_4eC39HqLyjWDarjtT1zdp7dc»", Kind::Key),
    ("«npm_abcdefghijklmnopqrstuvwxyz0123456789»", Kind::Key),
    ("«glpat-abcdefghij1234567890»", Kind::Key),
    ("my_«hf_abcdefghijklmnopqrstuvwxyz012345»", Kind::Key),
    ("«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P»", Kind::WebToken),
    ("«eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NTY3ODkwIn0.»", Kind::WebToken),
    // Headers
    ("curl -H 'Authorization: Bearer «0123456789abcdefghij»'", Kind::Header),
    ("Authorization: Basic «dXNlcjpwYXNzd29yZA==»", Kind::Header),
    ("authorization: token «abcdef0123456789»", Kind::Header),
    ("send bearer «abcDEF123.456~789+012/345=»", Kind::Header),
    ("{\"Authorization\": \"Basic «dXNlcjpwYXNzd29yZDE=»\"}", Kind::Named),
    ("X-Api-Key: «abc123def456»", Kind::Named),
    // Names
    ("password = «hunter2»", Kind::Named),
    ("password=«hunter»", Kind::Named),
    ("password: «correcthorse»", Kind::Named),
    ("db_password: «p@ss$word!»", Kind::Named),
    ("export API_KEY=«abc;def&ghi»", Kind::Named),
    ("DB_PASS=«geheim»", Kind::Named),
    ("  - DB_PASSWORD=«geheim12»", Kind::Named),
    ("ENV SECRET_TOKEN=«abcdef0123»", Kind::Named),
    ("\"password\": \"«hunter2»\"", Kind::Named),
    ("{\\\"password\\\": \\\"«hunter2»\\\"}", Kind::Named),
    ("'password' => '«hunter2»',", Kind::Named),
    ("clientSecret: \"«ab-cd-ef»\",", Kind::Named),
    ("aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»", Kind::Named),
    ("const token: &'static str = \"«a1b2c3d4e5f6»\";", Kind::Named),
    ("password: str = \"«hunter2»\"", Kind::Named),
    ("let api_key = b\"«zwölf-ä»\";", Kind::Named),
    ("config[\"password\"] = '«hunter2»'", Kind::Named),
    ("passphrase = \"«correct horse battery staple»\"", Kind::Named),
    ("Server=db;User Id=sa;Password=«hunter2»;Encrypt=true", Kind::Named),
    ("GET /?access_token=«abc123def456»&page=2", Kind::Named),
    ("//registry.npmjs.org/:_authToken=«00000000-0000-0000-0000-00000000000a»", Kind::Named),
    ("<password>«hunter2»</password>", Kind::Named),
    ("password := \"«hunter2»\"", Kind::Named),
    ("password = \"«hun\\\"ter2»\"", Kind::Named),
    ("pin_password: «12345678»", Kind::Named),
    ("secret: \"«cut-off", Kind::Named),
    // URLs
    ("postgres://app:«hunter2»@db.local:5432/app", Kind::Url),
    ("redis://:«hunter2»@cache", Kind::Url),
    ("git clone https://«0123456789abcdef0123456789abcdef01234567»@host/x.git", Kind::Url),
    // Names, and what stands behind them
    ("PASS=«x7»", Kind::Named),
    ("pass = \"«open sesame»\"", Kind::Named),
    ("passwords=«hunter2»", Kind::Named),
    ("db_password_prod=«hunter2»", Kind::Named),
    ("dbPasswordOld: \"«hunter2»\"", Kind::Named),
    ("SMTP_PASSWORD_ACME=«hunter22»", Kind::Named),
    ("wifi psk=\"«correct horse»\"", Kind::Named),
    // Values that look like something else
    ("password = \"«correct horse battery»\"", Kind::Named),
    ("password=\"«mysecret»\"", Kind::Named),
    ("PASSWORD=«supersecret»", Kind::Named),
    ("password=«topsecret»", Kind::Named),
    ("password = \"«ab{cd}ef1»\"", Kind::Named),
    ("PASSWORD=«{abc123»", Kind::Named),
    ("password: «hunter2!x»", Kind::Named),
    ("PASSWORD=«$ecret»", Kind::Named),
    ("password: '«$word7and»'", Kind::Named),
    ("password: \"«yourdog99»\"", Kind::Named),
    ("password=«example1234»", Kind::Named),
    ("password = \"«file:hunter2»\"", Kind::Named),
    ("password = \"«${USER}hunter2»\"", Kind::Named),
    ("password: \"«[redacted:hunter2»\"", Kind::Named),
    // On the lines below, in lists and in pairs
    ("password:\n  «hunter2»\nnext: 1", Kind::Named),
    ("db:\n  \"password\":\n    \"«hunter2»\",", Kind::Named),
    ("password: |\n  «hunter2»\nnext: 1", Kind::Named),
    ("passwords:\n  - «hunter2»\nnext: 1", Kind::Named),
    ("\"passwords\": [\"«hunter2»\"]", Kind::Named),
    ("<add key=\"password\" value=\"«x»\"/>", Kind::Named),
    ("{\"name\": \"DB_PASSWORD\", \"value\": \"«hunter2»\"}", Kind::Named),
    ("- name: DB_PASSWORD\n  value: «hunter2»", Kind::Named),
    ("<string name=\"api_key\">«abc123def»</string>", Kind::Named),
    ("<ns:password type=\"x\">\n  «hunter2»\n</ns:password>", Kind::Named),
    ("<password><![CDATA[«hunter2»]]></password>", Kind::Named),
    // Machines, statements, commands, calls
    ("machine example.org login bob password «x»", Kind::Named),
    ("machine example.org\n  login bob\n  password «hunter2»\n", Kind::Named),
    ("CREATE USER a IDENTIFIED BY '«x»';", Kind::Named),
    ("ALTER USER a IDENTIFIED WITH mysql_native_password BY '«hunter2»';", Kind::Named),
    ("create user a identified by «tiger»;", Kind::Named),
    ("CREATE ROLE a WITH LOGIN PASSWORD '«open»';", Kind::Named),
    ("mysql --password «hunter2» db", Kind::Named),
    ("mysql --password «letmein»", Kind::Named),
    ("tool --api-key \"«abc1»\" run", Kind::Named),
    ("\"args\": [\"--token\", \"«abc123def456»\"]", Kind::Named),
    ("mysql -u root -p«hunter2» db", Kind::Named),
    ("sshpass -p '«hunter 2»' ssh host", Kind::Named),
    ("docker login -u bob -p «hunter2» host", Kind::Named),
    ("curl -u bob:«hunter2» https://example.org", Kind::Named),
    ("source.setPassword(\"«hunter2»\");", Kind::Named),
    ("settings.put(\"password\", \"«hunter2»\");", Kind::Named),
    ("Cookie: «session=abcdef0123456789; theme=dark»", Kind::Header),
    ("use \"Basic «Ym9iOmh1bnRlcjI=»\"", Kind::Header),
    ("\"kty\":\"EC\",\"d\":\"«870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE»\"", Kind::Named),
    ("postgres://app:«hun/ter2»@db.local/app", Kind::Url),
    ("user,password\nbob,«hunter2»\n", Kind::Named),
];

/// What must stay as it is.
const HARMLESS: &[&str] = &[
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 769d6b4abcaf8fbacc29c03cdae0f4ab91d5ade0",
    "id = 123e4567-e89b-12d3-a456-426614174000",
    "sha256: \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
    "\"integrity\": \"sha512-abcDEF123/+abcDEF123==\"",
    "token_count = 5",
    "max_tokens: 4096",
    "token = 500",
    "let token = next_token(input);",
    "nextPageToken: \"CAUQAA1234567890abcdef\"",
    "progressToken = \"abc123def456\"",
    "eos_token = \"<|endoftext|>\"",
    "def login(user: str, password: str) -> None:",
    "fn login(password: &str, token: String) {",
    "password: string;",
    "password?: string",
    "password: SecretString",
    "api_key: Option<String>,",
    "password = os.environ[\"PASSWORD\"]",
    "password=os.environ.get('X')",
    "password = getpass.getpass()",
    "password = self.password",
    "const password = process.env.DB_PASSWORD1;",
    "token: config.token,",
    "{ password: userPassword, token: token1 }",
    "login(user, password=password)",
    "login(password=other1)",
    "password = user_input2;",
    "if password == \"hunter22\" {",
    "password != 'hunter22'",
    "password: ${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD",
    "PASSWORD=$(cat secret1)",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password: \"{{ vault_password }}\"",
    "password = <your-password>",
    "password: ********",
    "api_key = \"YOUR_API_KEY1\"",
    "api_key: xxxxxxxx",
    "secret: null",
    "\"password\": \"\"",
    "\"password\": {\"type\": \"string\"}",
    "\"password\": {",
    "\"token\": \"The token that the server gave\",",
    "\"token\": \"keyword.control\"",
    "credentials: 'same-origin'",
    "persist-credentials: false",
    "password: required",
    "password_file = /run/secrets/db1",
    "token: /var/run/secrets/token",
    "PWD=/home/user1",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${token}",
    "Bearer authentication is required here",
    "Basic authentication",
    "Authorization: the process of granting rights",
    "class=\"sk-folding-cube-wrapper-container\"",
    "https://example.org:8080/path@2x.png",
    "https://user@example.org/",
    "https://user:${PASS}@example.org/",
    "postgres://user:password@localhost/db",
    "std::token::Token",
    "type=\"password\" name=\"password\"",
    "eyJhbGciOiJIUzI1NiJ9 alone",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKC\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKC\n-----END CERTIFICATE-----",
    "between -----BEGIN PRIVATE KEY----- and its end",
    "a monkey: abc123",
    "bypass = yes1",
    "compass: north1",
    "secretName: app-tls1",
    "secret: my-app-secret",
    "PASS: tests/a1.c",
    "12 pass: 3 fail1",
    "password_reset_url = \"/reset1\"",
    "password_min_length=12345678",
    "passwordField: \"field1\"",
    "\"password\": \"Enter your new password1\"",
    "password: \"must not be blank2\"",
    "password = \"%s\"",
    "password = \"{password}\"",
    "cur.execute(q, password=:password)",
    "'password' => $password,",
    "PASSWORD=$1",
    "password: \"${A}-${B}\"",
    "token: \"your-token-here\"",
    "password = \"<your password>\"",
    "password=file:/run/secrets/db1",
    "password:\n  type: string1",
    "secrets:\n  - db_password\n  - server-certificate",
    "password: |\n",
    "the password is hunter2 in no notation",
    "use --password to log in",
    "  --password PASSWORD  the password1",
    "--token-file x1y2z3a4",
    "docker run -p 8080:80 image",
    "mkdir -p a1b2 && psql -p 5432",
    "mysql -p db1",
    "getPassword(\"user\")",
    "[\"username\", \"password\", \"oauth2\"]",
    "\"name\": \"host\", \"value\": \"db1\"",
    "<input type=\"password\" value=\"\">",
    "<label for=\"password\">Your password1</label>",
    "<a accesskey=\"s\">",
    "\"d\": \"M10 10 L20 20 40 40 50 50 60 60 70 70 80 80 90 90 z\"",
    "http://host:8080/a@b1",
    "Names, tokens and words\nof, prose\n",
    "session cookie: yes",
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0123456789abcdef",
    "MIIDXTCCAkWgAwIBAgIJAJC1HiIAZAiIMA0GCSqGSIb3DQEBBQUAMEUxCzAJ",
    "password: \"login.form.password\"",
    "",
];

fn without_marks(marked: &str) -> String {
    marked.replace(['«', '»'], "")
}

#[test]
fn what_looks_like_a_credential_is_hidden_and_counted_once() {
    for (marked, kind) in SECRETS {
        let text = without_marks(marked);
        let (before, rest) = marked.split_once('«').unwrap();
        let after = rest.split_once('»').map_or("", |(_, after)| after);
        let redacted = redact(&text);
        assert_eq!(redacted.text, format!("{before}{}{after}", kind.mark()), "{marked}");
        assert_eq!((redacted.counts.of(*kind), redacted.counts.total()), (1, 1), "{marked}");
    }
}

#[test]
fn what_is_no_credential_stays_and_is_borrowed() {
    for text in HARMLESS {
        let redacted = redact(text);
        assert_eq!(redacted.text, *text);
        assert!(matches!(redacted.text, Cow::Borrowed(_)), "{text}");
        assert_eq!(redacted.counts, Counts::default());
    }
}

#[test]
fn a_secret_is_found_wherever_it_stands() {
    let surroundings = [("\n", "\n"), ("x\r\n", "\r\ny"), ("# é ", ""), ("", "\n\n")];
    for ((marked, kind), (before, after)) in
        SECRETS.iter().flat_map(|secret| surroundings.map(|around| (secret, around)))
    {
        // What depends on the start of its line, or of the text, is no secret in the middle of one.
        if before.starts_with('#') && marked.starts_with(['p', 'P', 'D', 'S', 'd', '-'])
            || marked.ends_with("off")
            || marked.starts_with("user,")
        {
            continue;
        }
        let text = format!("{before}{}{after}", without_marks(marked));
        assert_eq!(redact(&text).counts.of(*kind), 1, "{text}");
    }
}

#[test]
fn a_private_key_is_hidden_in_every_dress_and_lines_stay_lines() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nVJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNb\nabc=";
    let pem = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{body}\n-----END RSA PRIVATE KEY-----\n"
    );
    let json = format!("{{\"private_key\": \"{}\"}}", pem.replace('\n', "\\n"));
    let quoted = format!("  \"{}\\n\"\n", pem.trim_end().replace('\n', "\\n\"\n  \""));
    let cut = pem.split("ictGeur").next().unwrap();
    let one_line = pem.replace('\n', " ");
    for text in [pem.as_str(), &json, &quoted, cut, &one_line] {
        let redacted = redact(text);
        assert_eq!(redacted.counts.of(Kind::PrivateKey), 1, "{text}");
        assert!(!redacted.text.contains("MIIE") && !redacted.text.contains("98C3"), "{}", redacted.text);
        assert_eq!(redacted.text.matches('\n').count(), text.matches('\n').count(), "{text}");
    }
}

#[test]
fn a_key_is_hidden_where_no_line_announces_it() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\nabc=";
    let tail = body.split_once('\n').unwrap().1;
    let ec = "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49AwEHoUQDQgAEPR3tU2Fta9ktY+6P9G0cWO+0kETA";
    let ssh = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQAAACC";
    let encrypted = "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQIbcdef0123456789abcdef";
    let texts = [
        format!("before\n{body}\nafter\n"),
        format!("x = \"{}\"\nafter\n", body.replace('\n', "\\n")),
        format!("    # {}\nafter\n", body.replace('\n', "\n    # ")),
        format!("{tail}\n-----END RSA PRIVATE KEY-----\nafter\n"),
        format!("{ec}\nafter\n"),
        format!("{ssh}\nafter\n"),
        format!("{encrypted}\nafter\n"),
        format!("PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 3\n{body}\nPrivate-MAC: 00ff\nafter\n"),
        format!(
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{body}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\nafter\n"
        ),
    ];
    for text in texts {
        let redacted = redact(&text);
        assert_eq!(redacted.counts.of(Kind::PrivateKey), 1, "{text}\n=>\n{}", redacted.text);
        for part in ["IEvQ", "98C3", "abc=", "IIrY", "bmUA", "BBQ0"] {
            assert!(!redacted.text.contains(part), "{text}\n=>\n{}", redacted.text);
        }
        assert!(redacted.text.ends_with("after\n"), "{}", redacted.text);
        assert_eq!(redacted.text.matches('\n').count(), text.matches('\n').count(), "{text}");
        assert_eq!(redact(&redacted.text).text, redacted.text);
    }
}

#[test]
fn cells_of_a_table_are_hidden_by_the_names_of_their_columns() {
    let table = "User name,Password,Access key ID,Secret access key\nalice,\"hun,ter\",AKIAIOSFODNN7EXAMPLE,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\nbob,x,,\n";
    assert_eq!(
        redact(table).text,
        "User name,Password,Access key ID,Secret access key\nalice,\"[redacted: secret]\",[redacted: key],[redacted: secret]\nbob,[redacted: secret],,\n"
    );
    let bare = "alice,AKIAIOSFODNN7EXAMPLE,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n";
    assert_eq!(redact(bare).text, "alice,[redacted: key],[redacted: key]\n");
}

#[test]
fn a_block_is_hidden_whole_and_its_lines_stay() {
    let text = "a:\n  password: >-\n    hunter2 x\n\n    more\n  user: bob\n";
    assert_eq!(redact(text).text, "a:\n  password: >-\n    [redacted: secret]\n\n\n  user: bob\n");
    let list = "passwords:\n- hunter2\n- other\nuser: bob\n";
    assert_eq!(redact(list).text, "passwords:\n- [redacted: secret]\n\nuser: bob\n");
    let json = "{\"passwords\": [\n  \"hunter2\",\n  \"other\"\n], \"user\": \"bob\"}";
    assert_eq!(redact(json).text, "{\"passwords\": [\n  \"[redacted: secret]\n\"\n], \"user\": \"bob\"}");
}

#[test]
fn hiding_again_changes_nothing() {
    let texts: Vec<String> = SECRETS.iter().map(|(marked, _)| without_marks(marked)).collect();
    for (first, second) in texts.iter().flat_map(|first| texts.iter().map(move |second| (first, second))) {
        for text in [format!("{first}{second}"), format!("{first} {second}"), format!("{first}\n{second}")] {
            let once = redact(&text);
            let twice = redact(&once.text);
            assert_eq!(twice.text, once.text, "{text}");
        }
    }
}

#[test]
fn counts_add_up() {
    let mut counts = redact("password = hunter2").counts;
    counts.add(&redact("password = hunter2\nredis://:hunter2@x").counts);
    assert_eq!(counts.iter().collect::<Vec<_>>(), [(Kind::Named, 2), (Kind::Url, 1)]);
    assert_eq!(counts.total(), 3);
}
