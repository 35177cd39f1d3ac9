"""The check half of the labelled set, written after the rules, in other words and other files' formats."""

from __future__ import annotations

import random

from .set_development import labelled
from .shapes import SHAPES, drawn

FRAMES = (
    "Can you see why this fails? {}",
    "curl https://api.example.org/v2/things -H 'x-thing: {}'",
    '{"name": "prod", "value": "{}"}',
    "  - name: THING\n    value: {}\n",
    "THING={} npm run start",
    "({})",
    "error: invalid credentials {}, aborting",
    "<thing>{}</thing>",
)
SPOKEN = """
hey the wifi here is called Fritz and the password is ‹Erdbeere-2019›
just sign in as ana, password ‹Winter2023!›
pw is ‹b4nana-Split›
The password to my email account is ‹Fluffy1987›
Sure, my pass is ‹gr33nApple›
our alarm system's pin is ‹5582›
The PIN for the debit card is ‹0937›
can you remember my pin? it's PIN ‹6641›
Das WLAN-Kennwort lautet: ‹Hase!Igel7›
Das Passwort für den Router ist ‹Fritz7390box›
mein PIN ist ‹2096›
Die Geheimzahl ist ‹8841›
le mot de passe du wifi est ‹PetitChat75›
mon code pin est ‹3310›
Le mot de passe: ‹Bonjour2021›
la contraseña es ‹Gato.Negro9›
mi pin es ‹7719›
contraseña: ‹Madrid2022!›
A senha é ‹Abacaxi55›
la password è ‹Pizza2020!›
Gate code is ‹1379›
the lockbox code is ‹8026›
garage door code: ‹44821›
Your verification code is: ‹903412›
One-time code: ‹771290›
My mnemonic is "‹ribbon velvet orbit canyon lemon puzzle arrow mimic tunnel glance wood fabric›"
My seed phrase is ‹ribbon velvet orbit canyon lemon puzzle arrow mimic tunnel glance wood fabric›
backup codes:\t‹83920174 55018274 90217364›
Netflix login is ana@example.org / ‹Popcorn!88›
username is root and password is ‹t00r-admin›
I set the password to ‹Zebra_Crossing_9›
I changed my password to ‹Quokka42!›
The admin password is “‹SuperAdmin1›”
password = ‹P4ssphrase›
passphrase: "‹seven purple otters dance›"
Logins: peter:‹Peterchen12›
My Apple ID password is ‹Orange!Juice5›.
It says the password is ‹incorrect horse›
the master password is ‹Gr8Wall-of-Troy›
Passwort=‹Hallo1234›
zugangsdaten: max / ‹Muster!99›
the combination lock combination is ‹31-07-22›
<Private reason="health">I take ‹sertraline› every day</PRIVATE>
"""
PAIRS = """
db:\t{ host: 'x', user: 'y', password: '‹kP8s7d6f›' }
MYSQL_ROOT_PASSWORD=‹rootpw123›
MONGO_INITDB_ROOT_PASSWORD: ‹examplepwd42›
REDIS_PASSWORD="‹yYh3k29s›"
FTP_PASS=‹Upl0ad!x›
SMTP_PASSWORD=‹abcd efgh ijkl mnop›
smtp.login("ana@example.org", "‹appPassw0rd›")
conn = psycopg2.connect(host="db", user="app", password="‹pgPass!9›")
jdbc:mysql://db:3306/shop?user=root&password=‹Sh0pP4ss›
amqp://guest:‹gu3stPw77›@rabbit:5672/
mssql://sa:‹Str0ng!Pass›@10.0.0.4/master
ftp://ana:‹f1leDrop›@ftp.example.org
https://ana:‹w3bPass99›@example.org/private
svn --username ana --password ‹svnPw123› co http://x
net use Z: \\\\srv\\share /user:ana ‹N3tUse!›
redis-cli -h cache -a ‹r3d1sPw› ping
mysql -h db -u app -p'‹quoted Pw1›' shop
psql "host=db user=app password=‹pw4psql› dbname=x"
PGPASSWORD=‹pgEnvPw1› psql -h db
GITHUB_TOKEN=‹1f0e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c›
app_secret: ‹0f1e2d3c4b5a69788796a5b4c3d2e1f0›
"clientSecret": "‹Zk8Q-m2Lr9-Tx4Pw7›"
consumer_secret = "‹L8qq9PZyRg6ieKGEKhZolGC0vJWLw8iEJ88DRdyOg›"
private_token=‹9koXpg98eAheJpvBs5tK›
PRIVATE-TOKEN: ‹9koXpg98eAheJpvBs5tK›
x-access-token: ‹dGhpc2lzYXRva2Vu42x9›
?access_token=‹8a7b6c5d4e3f2a1b9c8d›&page=2
webhook_secret = '‹whk-7f6e5d4c3b2a›'
session_secret: '‹keyboard cat 77›'
COOKIE_SECRET=‹s3rcrtc00kie›
LICENSE_KEY=‹AB12-CD34-EF56-GH78›
signing_key: "‹MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEH›"
<add key="ApiKey" value="‹a9s8d7f6g5h4j3k2›" />
<property name="password" value="‹xmlPw123›"/>
apikey=‹ZaCELgL0imfnc8mVLWwsAawjYr4Rx›
Ocp-Apim-Subscription-Key: ‹3f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c›
_authToken=‹8f4c6b2a-1d3e-4f5a-9b8c-7d6e5f4a3b2c›
//registry.npmjs.org/:_password=‹c2VjcmV0cGFzcw==›
ansible_ssh_pass=‹An5ibl3!›
vault_password: ‹v4ultMe!›
bot_token: ‹a1b2c3d4e5f6g7h8i9j0›
Authorization: Basic ‹YW5hOnMzY3IzdHBhc3M=›
Proxy-Authorization: Basic ‹cHJveHk6czNjcjN0›
authorization: ‹c0ffee12-beef-4a5b-8c7d-9e8f7a6b5c4d›
headers = {"Authorization": "Bearer ‹abc.DEF-123_ghi456jkl›"}
"X-Auth-Token": "‹gAAAAABkX3y7Zr9Q2w8E›"
JSESSIONID=‹7F3A9C1E5B8D2F4A6C0E9B7D1A3F5C8E›
Set-Cookie: laravel_session=‹k2j5h6g7f8d9s0a1q2w3e4r5›; HttpOnly
identified by "x" -- GRANT ALL ON *.* TO 'a'@'b' IDENTIFIED BY '‹Grant3d!›'
snmp-server community ‹n3tw0rkRO› RO
wpa_psk=‹MyHomeWifi2020›
psk="‹home wifi 2020›"
-----BEGIN OPENSSH PRIVATE KEY-----\\n‹b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ›\\n-----END OPENSSH PRIVATE KEY-----
"private_key": "-----BEGIN PRIVATE KEY-----\\n‹MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA›\\n
"""
BENIGN = r"""
password: <redacted>
PASSWORD=
password: ""
password: null
Password (again):
passwordField.setText("")
const [password, setPassword] = useState("")
user.password = hashPassword(req.body.password);
if user.check_password(form.password.data):
assert response.json()["token"]
token: Optional[str] = None
tokens: 1234
prompt_tokens: 512, completion_tokens: 128
total_tokens=640
"token_type": "bearer"
"token_type": "Bearer", "expires_in": 3600
tokenUrl: https://example.org/oauth/token
secretsmanager:GetSecretValue
arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf
kubectl create secret generic db --from-literal=password=$PW
secretKeyRef: {name: db-credentials, key: password}
api_key = getpass("Enter key")
apiKey: import.meta.env.VITE_API_KEY
API_KEY=your-api-key-here
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=<your key>
STRIPE_KEY=sk_test_xxxxxxxxxxxx
export TOKEN=$(cat token.txt)
token=$TOKEN
--token $GITHUB_TOKEN
--password-stdin
PASSWORD_MIN_LENGTH=12
password_reset_url: https://example.org/reset
passwordPolicy: strong
auth: none
auth_type: basic
author: ana
authority: https://login.example.org/common
authenticated: true
bearer of bad news
The Lord of the Rings bearer is Frodo Baggins of Bag End
Authorization: required
the Authorization header carries the credentials
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 ana@laptop
SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
da39a3ee5e6b4b0d3255bfef95601890afd80709
"resolved": "https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz"
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
trace_id=4bf92f3577b34da6a3ce929d0e0e4736
request id 7f3a9c1e-5b8d-2f4a-6c0e-9b7d1a3f5c8e failed
container 3f4e5d6c7b8a exited
image: redis@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
arXiv:2301.12345v2
doi:10.1000/xyz123
IMEI 490154203237518
flight LH2034, seat 14A
invoice INV-2024-000123
VIN 1HGCM82633A004352
UPC 036000291452
license plate B-MW 1234
coordinates 48.8584, 2.2945
$1,234,567.89
call me at 555-0123
+49 30 901820
MAC 00:1B:44:11:3A:B7
IPv6 2001:0db8:85a3:0000:0000:8a2e:0370:7334
10.0.0.1:5432
https://example.org/?q=token&lang=en
https://user@example.org/repo.git
git@github.com:acme/repo.git
https://youtu.be/dQw4w9WgXcQ
https://docs.google.com/document/d/1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYz/edit
eyJhbGciOiJIUzI1NiJ9
foo.bar.baz
org.springframework.security.oauth2.provider.token
class TokenBucket: rate = 100
secret ingredient: cinnamon
Victoria's Secret 2024 catalogue
The Secret Garden (1911)
What's the secret to good bread?
top secret: project X
I keep it a secret: I bake at 200 degrees
The key: patience.
answer key: 1B 2C 3A 4D
key takeaways: 5
key=lambda x: x[1]
sort_key: created_at
cache_key = f"user:{id}"
foreign_key: user_id
partition key is customer_id
keyword: shoes2024
press any key to continue
key: Cmd+Shift+P
map key A1 to value B2
monkey123
Turkey2024 trip
my pin number is something I never share
Pinterest pin 12345678
pin 13 is the LED
connect pin 4 to ground
bowling pin 10
GPIO pin: 18
pinned 2024
rolling pin 30 cm
PIN diode 1N4007
country code: 0049
the code 1234 appears in chapter 3
code: 200 OK
status code: 4041
dress code: black tie
QR code 2023
source code: 12000 lines
discount code: SUMMER25
booking code ABC123
the password is case-sensitive
the password is at least 12 characters long
my password is too weak
your password is about to expire
The password is required.
password is the most common password
his password is unknown
the password is the same as last year
I think the password is on the sticky note
Password must contain 1 number and 1 symbol
password managers like 1Password or Bitwarden
set a password for the zip
the password was reset by the admin
das Passwort ist falsch
das Passwort ist zu kurz
Passwort vergessen?
le mot de passe est incorrect
mot de passe oublié
la contraseña es incorrecta
olvidé mi contraseña
clave del éxito: constancia
la clave es la paciencia
login: required
login page: https://example.org/login
log in with Google or Facebook
sign in with Apple and continue
credentials are stored in the keychain
creds: see 1Password
the recovery code is sent by mail
recovery phrase of 12 words
write down the seed phrase and keep it safe
seed: 42
random_state=12345
session: 2024-05-01
sessions=12
sid=42
cookie: chocolate chip
Cookie: theme=dark; lang=en
Set-Cookie: theme=dark; Path=/
curl -u $USER:$PASS https://example.org
curl -u username:password https://example.org
mysql -u root -p
psql -U postgres -d shop
docker login -u ana
echo "hello world 123"
git clone https://github.com/acme/repo.git
base64: SGVsbG8gd29ybGQ=
lorem ipsum dolor sit amet 1234567890
hf_hub_download(repo_id="x")
sk-learn and sklearn
npm_config_registry=https://registry.npmjs.org
pypi-publish workflow
xoxo, Ana
xoxo-gossip-girl-2007
AC/DC 1975
SK Telecom 5G
key-value store
live_stream_2024_final_version
test_user_authentication_flow_2
secret_santa_list_2024
re_path(r"^api/v1/(?P<pk>\d+)$")
pk_test_abc
rk_live
dapi documentation
glass-pattern-2
r8_c is an engine
ico-moon
fc-barcelona-2011-champions-league
pat on the back
pa-rum-pum-pum-pum
eaaasy
AIzawa Shota
asia-southeast1-docker.pkg.dev/proj/repo/image:1.2.3
EURASIA2024CONFERENCEPROGRAM
"""


def positives() -> list[tuple[str, str]]:
    """(text, secret) pairs: shapes drawn anew in other frames, and other ways to say and write it."""
    draw = random.Random(77041)
    made: list[tuple[str, str]] = []
    for shapes in SHAPES.values():
        for shape in shapes if "‹" not in shapes[-1] else shapes[:1]:
            text = drawn(shape, draw)
            frame = FRAMES[len(made) % len(FRAMES)] if "\n" not in text else "{}"
            made.append(labelled(frame.replace("{}", text if "‹" in text else f"‹{text}›")))
    lines = (SPOKEN + PAIRS).strip().split("\n")
    return made + [labelled(line.replace("\\n", "\n")) for line in lines if line]


def negatives() -> list[str]:
    return [line for line in BENIGN.strip().split("\n") if line]
