"""The development half of the labelled set: the rules were written looking at it."""

from __future__ import annotations

import random

from .shapes import SHAPES, drawn

CONTEXTS = (
    "{}",
    "here is the key: {} - please keep it",
    "I get a 401 when I use {} in the script.",
    "```\n{}\n```",
    'const k = "{}";',
    "export SOMETHING='{}'",
)

# Secret between ‹ and ›.
SPOKEN = """
my password is ‹hunter2›
My new password is ‹Tr0ub4dor&3›, don't tell anyone
the pin is ‹4821›
My PIN: ‹9173›
passwort: ‹Sommer2024!›
Mein Passwort ist ‹Kartoffel77›
Das Passwort lautet ‹blauer-Elefant-9›
mon mot de passe est ‹Soleil123›
mot de passe : ‹Chaton!2020›
mi contraseña es ‹Perro2020›
la contraseña del wifi es ‹casa1234azul›
wifi password: ‹sunshine99›
The wifi password is ‹sunshine›.
WLAN-Passwort: ‹37482910473829104738›
login: bob / pass: ‹tr0ub4dor›
username: admin password: ‹Pa55word!›
creds: admin / ‹P@ssw0rd1›
the door code is ‹4711#›
alarm code: ‹2580›
my card's pin is ‹7302›
use the password "‹letmein›" please
**Password:** `‹Tr0ub4dor&3›`
| password | ‹S3cr3t!!› |
password -> ‹qwerty123›
the password for the server is ‹xK9#mP2$›
You can log in with password ‹Blue42Horse›
safe combination is ‹12-34-56›
my passcode is ‹839201›
The root password was changed to ‹n3wR00t!›
Our Netflix password is ‹Moonlight7›
seed phrase: ‹abandon ability able about above absent absorb abstract absurd abuse access accident›
my recovery codes: ‹a1b2c-3d4e5 f6g7h-8i9j0›
verification code is ‹482913›
Kennwort: ‹Geheim123›
la clave es ‹Luna2019x›
my bank pin is ‹4410›, just in case
<private>my therapist is Dr. ‹Weber›</private>
"""
PAIRS = """
{"password": "‹hunter2›"}
{'user': 'ana', 'passwd': '‹s0meth1ng›'}
DB_PASSWORD=‹supersecret›
POSTGRES_PASSWORD: ‹mysecretpassw0rd›
password = "‹correct horse battery staple›"
JWT_SECRET=‹thisisaverylongsigningphrase›
client_secret: "‹8f7a6b5c4d3e2f1a›"
{\\"token\\": \\"‹a8f5f167f44f4964e6c998dee827110c›\\"}
mysqldump --password=‹hunter22› --user bob
docker run -e DB_PASS=‹qwe123rty› app
<password>‹hunter2›</password>
Server=db;User Id=sa;Password=‹MyP4ss›;
https://api.example.org/v1?api_key=‹9f8e7d6c5b4a›&x=1
X-API-Key: ‹7d9f8e7a6b5c4d3e2f1a0b9c›
ALTER USER bob WITH PASSWORD '‹n3wpass›';
CREATE USER 'app'@'%' IDENTIFIED BY '‹Gr33nTea›';
secret_key = '‹django-insecure-9fj3k2l1m0›'
mysql -u root -p‹S3cretPw› shop
curl -u admin:‹Pass1234› https://example.org
sshpass -p '‹hunter2!›' ssh ana@example.org
requirepass ‹r3disPw99x›
encryption_key: ‹b64f2c9d8e7a1f3b5c6d7e8f9a0b1c2d›
auth_token="‹kd83jd92kd02kdj39›"
apiKey: '‹k3j4h5g6f7d8s9a0›',
:password => "‹rubyPass1›"
$password = "‹phpPass1›";
define('DB_PASSWORD', '‹wp-Pass99›');
.setPassword("‹j4vaPass›")
access_token=‹2YotnFZFEjr1zCsicMWpAA›
refresh_token: ‹tGzv3JOkF0XG5Qx2TlKWIA›
ConvertTo-SecureString "‹W1nd0ws!›" -AsPlainText -Force
echo '‹sudoPass1›' | sudo -S apt update
requests.get(url, auth=("ana", "‹s3cr3t99›"))
SECRET_KEY_BASE=‹3eb6db5a9026c547c72708438d496d942e976b252138db7e4e0ee5edd7539457›
spring.datasource.password=‹dbP4ssw0rd›
"""
BENIGN = r"""
password: ********
password: required
Password: must be at least 8 characters
the secret of success is work
please do a password reset
token = get_token()
def get_token(self, token: str) -> str:
password = input("Password: ")
api_key: YOUR_API_KEY
API_KEY=${API_KEY}
secret = os.environ["SECRET"]
token: process.env.TOKEN,
max_tokens=4096
my password is wrong
I forgot my password and now it is lost
postgres://user@host/db
postgres://user:password@localhost/db
"integrity": "sha512-9fj3k2l1m0abcdefGHIJKLMNOPQRSTUVWXYZ0123456789+/9fj3k2l1m0abcdefGHIJ=="
fields = ("username", "password", "email")
const token = req.headers.authorization
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
The PIN code of this area is 560001
grant_type=authorization_code
we use Bearer token authentication
if (!password) return null
<input type="password" name="password" placeholder="Password123">
password: string;
secretName: my-tls-secret
The key is to practise 30 minutes a day
tokenizer = "cl100k_base"
"author": "John Smith 2024"
"key": "value123456"
pin it to the board 2020
the token is refreshed every 30 minutes
connect(user=user, password=password)
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
git log 1a2b3c4d..5e6f7a8b
550e8400-e29b-41d4-a716-446655440000
md5: d41d8cd98f00b204e9800998ecf8427e
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
sk-xxxxxxxxxxxxxxxxxxxxxxxx
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
Authorization: Bearer <token>
Authorization: Bearer ${TOKEN}
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4k2Xz9fj3k2l1m0abcdefGHIJKLMNOPQRSTU ana@laptop
test card 4111 1111 1111 1111
ISBN 978-3-16-148410-0
tracking number 1Z999AA10123456784
order 202-1234567-8901234
version 1.22.333-beta.4+build.5678
call +1 (555) 010-9999
#ff8800aa
com.example.token.TokenService.getToken
io.jsonwebtoken:jjwt-api:0.11.5
next_page_token: CAUQAA
pad_token_id=50256
csrf protection uses a token
She kept it secret: nobody knew.
The password was changed yesterday.
What is the password for?
Forgot your password? Click here.
Your password is strong.
password=<your-password>
PASSWORD=changeme
password: "Enter your password"
"passwordLabel": "Password"
auth: oauth2
auth = HTTPBasicAuth(user, pw)
const secret = crypto.randomBytes(32).toString("hex")
api_key = config.get("api_key")
token: ${{ secrets.GITHUB_TOKEN }}
password_hash = hash_password(password)
keyboard: qwerty123456
primary_key=True
public_key: ssh-rsa
the monkey = 12345678abc
http://localhost:8080/path?x=1
https://example.com:443@foo
mailto:ana@example.org
time 12:34:56
npm install @angular/core@15.2.1
my pin board has 1234 pins
Chapter 4: 1984
the code is on GitHub
error code: 40413
zip code: 90210
promo code SAVE2024
area code 212
I pass 1234 cars a day
secret santa is 12 December
access key: see vault
The API key is stored in the environment.
"""


def positives() -> list[tuple[str, str]]:
    """(text, secret) pairs."""
    draw = random.Random(20261)
    made: list[tuple[str, str]] = []
    for shapes in SHAPES.values():
        for index, shape in enumerate(shapes):
            text = drawn(shape, draw)
            frame = "{}" if "‹" in text else CONTEXTS[(index + len(made)) % len(CONTEXTS)]
            made.append(labelled(frame.replace("{}", text if "‹" in text else f"‹{text}›")))
    return made + [labelled(line) for line in (SPOKEN + PAIRS).strip().split("\n") if line]


def labelled(line: str) -> tuple[str, str]:
    return line.replace("‹", "").replace("›", ""), line[line.index("‹") + 1 : line.index("›")]


def negatives() -> list[str]:
    return [line for line in BENIGN.strip().split("\n") if line]
