"""Passwords in commands, SQL and configuration files that name no key before them."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

import re

from ..patterns import late
from .judge import is_password_placeholder
from .rule import Rule

SENT = r"(?:\"([^\"\n]{3,200})\"|'([^'\n]{3,200})'|([^\s\"'`<>|;&]{3,200}))"


def _chosen(value: str) -> bool:
    return not is_password_placeholder(value) and not value.startswith(("$", "-", "<", "/", "./", "~/", "(", "{"))


def _any(match: re.Match[str]) -> tuple[int, int] | None:
    """The first group that took part."""
    return next((match.span(i) for i in range(1, match.re.groups + 1) if match[i] is not None), None)


def make_command_rule(id: str, description: str, keywords: tuple[str, ...], pattern: str) -> Rule:
    """A password that stands where a command or a file has its place for it."""
    return Rule(id, description, keywords, late(pattern), cut=_any, check=_chosen, rank=1)


# fmt: off
COMMANDS = (
    make_command_rule("curl-user", "user and password of curl or wget", ("curl ", "wget ", "http "),
             r"(?:curl|wget|http)\b[^\n]{0,400}?(?:\s-u|\s--user|\s-a|\s--proxy-user)[= ]?[\"']?[^\s:\"'$]{1,80}:([^\s\"'@]{3,120})"),
    make_command_rule("mysql-password", "password after -p", ("mysql", "mariadb", "mysqldump"),
             r"(?:mysql(?:dump|admin)?|mariadb)\s[^\n]{0,200}?\s-p(?:'([^'\n]{3,100})'|\"([^\"\n]{3,100})\"|([^\s\"'-][^\s\"']{2,100}))"),
    make_command_rule("sshpass", "password of sshpass, docker login, az or a zip archive", ("sshpass", "docker login", "podman login", "helm registry login", "az login", "redis-cli", "7z ", "unzip ", "mongo", "sqlcmd", "ldapsearch", "rabbitmqctl add_user", "smbclient", "xfreerdp", "net use"),
             r"(?:(?:sshpass|docker login|podman login|helm registry login|az login|mongo(?:sh|dump)?|unzip)\s[^\n]{0,200}?(?<=\s)(?:-p|-P|--password)[= ]?|redis-cli\s[^\n]{0,100}?-a |7z [^\n]{0,60}?-p|sqlcmd\s[^\n]{0,100}?-P |ldapsearch\s[^\n]{0,150}?-w |rabbitmqctl add_user \S{1,60} |xfreerdp [^\n]{0,100}?/p:|smbclient [^\n]{0,100}?-U [^\s%]{1,60}%|net use [^\n]{0,100}?/user:\S{1,60} )" + SENT),
    make_command_rule("sql-password", "password in SQL", ("identified by", "identified with", "password '", "password=n'", "password = n'", "encrypted password", "password for '", "password('"),
             r"(?i:identified\s(?:with \S{1,40} )?by(?: password)?|(?:encrypted )?password(?:\s?=\s?N|\(| for '[^'\n]{0,60}'(?:@'[^'\n]{0,80}')? ?=(?: ?password\()?)?)\s{0,2}'([^'\n]{3,100})'"),
    make_command_rule("require-pass", "password in a configuration file without an equals sign", ("requirepass", "masterauth", "rootpw", "bindpw", "secret ", "enable secret", "snmp-server community", "psk"),
             r"(?:(?<![\w])(?:requirepass|masterauth|rootpw|bindpw)\s{1,10}|enable secret (?:\d )?|snmp-server community |psk\s?=\s?)" + SENT),
    make_command_rule("secure-string", "clear text of a PowerShell secure string", ("convertto-securestring", "networkcredential", "usernamepasswordcredentials", "httpbasicauth(", "basicauth("),
             r"(?i:ConvertTo-SecureString\s(?:-String\s)?[\"']([^\"'\n]{3,100})[\"']|(?:networkcredential|usernamepasswordcredentials|(?:http)?basicauth)\(\s?[\"'][^\"'\n]{1,80}[\"'],\s?[\"']([^\"'\n]{3,100})[\"'])"),
    make_command_rule("piped-password", "password piped to sudo or chpasswd", ("echo ",),
             r"echo\s{1,2}(?:-n\s)?(?:[\"']([^\"'\n|]{3,80})[\"']|([^\s\"'|]{3,80}))\s?\|\s?(?:sudo -\w*S|(?:sudo )?chpasswd|docker login[^\n]{0,80}--password-stdin|passwd --stdin)"),
    make_command_rule("auth-tuple", "user and password given to a request", ("auth=(", "auth = (", "login(", ".auth("),
             r"(?:auth\s?=\s?|\.?login|\.auth)\(\s?[\"'][^\"'\n]{1,80}[\"'],\s?[\"']([^\"'\n]{4,100})[\"']"),
    make_command_rule("auth-tuple", "host, user and password given to a connection", ("connect(",),
             r"connect\(\s?[\"'][^\"'\n]{1,80}[\"'],\s?[\"'][^\"'\n]{1,60}[\"'],\s?[\"']([^\"'\n]{4,100})[\"']"),
    make_command_rule("tool-password", "password of keytool, htpasswd, openssl, gpg, net user or a login command", ("htpasswd ", "openssl ", "net user ", "storepass ", "keypass ", "plink ", "pscp ", "evil-winrm", "rdesktop ", "lftp ", "bcp ", "osql ", "cqlsh", "ipmitool ", "unrar ", "svn ", "nmcli "),
             r"(?:htpasswd\s(?:-[a-zA-Z]+\s){0,4}-?[a-zA-Z]*b[a-zA-Z]*\s[^\s-]\S{0,100}\s[\w.@-]{1,60}\s|openssl\s[^\n]{0,200}?\s(?:-k |-pass(?:in|out)? pass:)|net user (?!/)\S{1,60} (?![/*])|(?:store|key)pass |(?:plink|pscp)\s[^\n]{0,80}?-pw |rdesktop [^\n]{0,80}?-p |lftp [^\n]{0,80}?-u [^\s,]{1,60},|(?:bcp|osql)\s[^\n]{0,120}?-P ?|(?:cqlsh|evil-winrm)\s[^\n]{0,120}?-p |ipmitool\s[^\n]{0,120}?-P |unrar \w -p|svn [^\n]{0,120}?--password |nmcli [^\n]{0,120}? password )" + SENT),
    make_command_rule("tool-password", "token given to a login command", ("wandb login ", "vault login ", "--with-token", "ngrok ", "cloudflared ", "snyk auth ", "codecov -t "),
             r"(?:(?:wandb login|vault login|snyk auth)\s(?:-\S{1,40} ){0,4}|--with-token\s?<<<\s?|ngrok (?:config add-)?authtoken |cloudflared [^\n]{0,60}?install |codecov -t )[\"']?((?=\S{0,60}\d)[\w.=-]{16,300})"),
    make_command_rule("oracle-password", "password in an Oracle connection string", ("oracle:thin:", "sqlplus "),
             r"(?:oracle:thin:|sqlplus )[^/\s]{1,60}/([^@\s/\"']{3,80})@"),
)
