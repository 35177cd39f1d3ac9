"""Cloud, hosting and infrastructure."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

import re

from ...patterns import late
from ..judge import drawn, is_placeholder
from ..rule import Rule
from .shape import EDGE, exact, make_named_value_rule, searched, shape


def _no_example(value: str) -> bool:
    """AWS prints keys that end in EXAMPLE in its documentation; a real one does so once in 10^10."""
    return "EXAMPLE" not in value.upper() and not is_placeholder(value) and len(set(value)) > 6


# fmt: off
CLOUDS = (
    Rule(
        "aws-access-key",
        "AWS access key id (long-lived, temporary, role and user ids)",
        ("akia", "asia", "abia", "acca", "aroa", "aida", "agpa", "anpa", "aipa"),
        late(EDGE + r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|AIPA)[A-Z0-9]{16,17}(?![A-Za-z0-9])"),
        check=lambda v: _no_example(v) and any(c.isdigit() for c in v),
        drawn=True,
    ),
    Rule(
        "aws-secret-key",
        "AWS secret access key, by the name before it",
        ("secret_access_key", "secretaccesskey", "secret access key", "aws_secret", "aws-secret", "awssecret",
         "aws secret", "secret key", "secret_key", "secretkey"),
        late(
            r"(?i:(?:aws[_ -]?)?secret(?:[_ -]?access)?(?:[_ -]?key)?|aws[_ -]?secret[_a-z]{0,20})"
            r"[\s\"'`=:>*,|()\\]{1,8}(?i:is\s)?[\s\"'`]{0,2}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"
        ),
        group=1,
        entropy=3.8,
        check=_no_example,
        drawn=True,
    ),
    Rule(
        "aws-secret-key",
        "AWS secret access key on the line of its key id or below it",
        ("akia", "asia"),
        late(r"(?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9/+][^\n]{0,60}?\n?[^\n]{0,60}?(?<![A-Za-z0-9/+=_.-])"
                   r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_.-])"),
        group=1,
        entropy=4.0,
        check=lambda v: _no_example(v) and drawn(v) and not re.fullmatch(r"[0-9a-f]{40}", v),
        rank=1,
        drawn=True,
    ),
    Rule(
        "aws-session-token",
        "AWS session token",
        ("session_token", "sessiontoken", "security_token", "securitytoken", "security-token", "fwogzxivyxdz", "iqojb3jpz2lu"),
        late(
            r"(?:(?i:(?:session|security)[_-]?token)[\s\"'`=:>\\]{1,6}|(?=FwoGZXIvYXdz|IQoJb3JpZ2lu))"
            r"([A-Za-z0-9/+=%]{60,4000})"
        ),
        group=1,
        entropy=4.0,
        check=lambda v: "EXAMPLE" not in v.upper(),
        drawn=True,
    ),
    shape("aws-bedrock-key", "Amazon Bedrock key", "absk", r"ABSK[A-Za-z0-9+/]{60,300}={0,2}"),
    shape("google-api-key", "Google API key", "aiza", r"AIza[\w-]{35}(?![\w-])"),
    shape("google-oauth-token", "Google OAuth access or refresh token", ("ya29.", "1//0", "4/0a", "aq.ab"), r"(?:ya29\.[\w-]{20,500}|1//0[\w-]{30,200}|4/0A[\w-]{40,120}|AQ\.Ab[\w-]{40,80})"),
    shape("google-client-secret", "Google OAuth client secret", "gocspx-", r"GOCSPX-[\w-]{24,40}"),
    make_named_value_rule("google-service-account", "private_key_id of a Google service account", "private_key_id", r"[a-f0-9]{40}"),
    Rule(
        "azure-account-key",
        "Azure storage, Cosmos DB, Service Bus or IoT key in a connection string",
        ("accountkey=", "sharedaccesskey=", "accesskey=", "sharedaccesssignature="),
        late(r"(?i:(?:account|shared ?access|access)(?:key|signature))=([A-Za-z0-9+/%=&:_.-]{20,500})"),
        group=1,
        check=lambda v: not is_placeholder(v),
        drawn=True,
    ),
    Rule(
        "azure-sas",
        "signature of a shared access signature or another signed URL",
        ("sig=", "signature="),
        late(r"(?i:sig(?:nature)?)=([A-Za-z0-9%/+_-]{27,500}={0,2})"),
        group=1,
        check=drawn,
        drawn=True,
    ),
    searched("azure-client-secret", "Azure AD client secret", "q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,36}(?![\w~-])"),
    searched("azure-devops-token", "Azure DevOps personal access token", "azdo", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    make_named_value_rule("azure-key", "Azure key, by context", ("azure", "ocp-apim-subscription-key", "cognitive"), r"[a-f0-9]{32}|[A-Za-z0-9+/]{86}==|[a-z2-7]{52}|[A-Za-z0-9]{84}"),
    shape("digitalocean-token", "DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[a-f0-9]{40,80}"),
    shape("heroku-token", "Heroku key", "hrku-", r"HRKU-[\w-]{30,80}"),
    make_named_value_rule("heroku-token", "Heroku key, by context", "heroku", r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    make_named_value_rule("cloudflare-key", "Cloudflare key, by context", ("cloudflare", "cf_api", "cf-api", "x-auth-key"), r"[a-f0-9]{37}|[\w-]{40}"),
    shape("cloudflare-origin-key", "Cloudflare origin CA key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,146}"),
    shape("alibaba-key", "Alibaba Cloud access key", "ltai", r"LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])"),
    make_named_value_rule("cloud-key", "Alibaba, Tencent, Linode, Hetzner, Vultr, OVH, Scaleway, Fastly, Okta or Auth0 key, by context",
          ("alibaba", "aliyun", "tencent", "linode", "hetzner", "hcloud", "vultr", "ovh_", "scaleway", "scw_secret", "fastly", "okta", "auth0", "ibm_cloud", "ibmcloud"),
          r"[A-Za-z0-9_-]{30,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    shape("tencent-key", "Tencent Cloud key", "akid", r"AKID[A-Za-z0-9]{28,36}(?![A-Za-z0-9])"),
    shape("vault-token", "HashiCorp Vault token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{24,300}"),
    make_named_value_rule("vault-token", "HashiCorp Vault token, older form, by context", ("vault", "x-vault-token"), r"[sbr]\.[A-Za-z0-9]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    searched("terraform-token", "Terraform Cloud token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,80}"),
    shape("pulumi-token", "Pulumi token", "pul-", r"pul-[a-f0-9]{32,48}"),
    shape("doppler-token", "Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{32,50}"),
    shape("databricks-token", "Databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    make_named_value_rule("snowflake-secret", "Snowflake secret, by context", "snowflake", r"[\w!@#$%^*+/=-]{24,120}"),
    shape("planetscale-token", "PlanetScale token or password", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{24,80}"),
    shape("supabase-key", "Supabase token or secret key", ("sbp_", "sb_secret_"), r"(?:sbp_(?:v0_)?[a-f0-9]{32,48}|sb_secret_[\w-]{20,60})"),
    shape("vercel-token", "Vercel token", ("vercel_", "vcp_", "vck_", "vca_"), r"(?:vercel_(?:blob_rw_)?|vc[pka]_)[A-Za-z0-9_]{20,120}"),
    make_named_value_rule("vercel-token", "Vercel, Netlify, Render or Railway token, by context", ("vercel", "netlify", "railway", "rnd_"), r"[A-Za-z0-9_-]{24,64}"),
    shape("netlify-token", "Netlify token", ("nfp_", "nfc_", "nfo_", "nfu_"), r"nf[pcou]_[A-Za-z0-9]{30,60}"),
    shape("render-key", "Render key", "rnd_", r"rnd_[A-Za-z0-9]{24,60}"),
    shape("flyio-token", "Fly.io token", ("fo1_", "fm1", "fm2_"), r"(?:fo1_[\w-]{40,60}|fm1[ar]_[A-Za-z0-9+/=]{40,800}|fm2_[A-Za-z0-9+/=]{40,800})"),
    shape("docker-token", "Docker Hub token", ("dckr_pat_", "dckr_oat_"), r"dckr_[po]at_[\w-]{24,60}"),
    make_named_value_rule("docker-auth", "auth entry of a Docker config", '"auth"', r"[A-Za-z0-9+/]{16,400}={0,2}"),
    exact("kubernetes-bootstrap", "Kubernetes bootstrap token, by context", ("kubeadm join", "--token"), r"(?:kubeadm join[^\n]{0,80})?--token[= ]([a-z0-9]{6}\.[a-z0-9]{16})(?![a-z0-9])", group=1),
    shape("openshift-token", "OpenShift token", "sha256~", r"sha256~[\w-]{43}(?![\w-])"),
    shape("tailscale-key", "Tailscale key", "tskey-", r"tskey-[a-z]{3,8}-[A-Za-z0-9]{8,20}(?:-[A-Za-z0-9]{10,60})?"),
    shape("neon-key", "Neon key or password", ("napi_", "npg_"), r"(?:napi_[a-z0-9]{32,80}|npg_[A-Za-z0-9]{10,40})"),
    shape("confluent-key", "Confluent Cloud secret", "cflt", r"cflt[A-Za-z0-9+/]{50,70}"),
    shape("aiven-token", "Aiven password", "avns_", r"AVNS_[\w-]{15,40}"),
)
