"""Code hosting, packages, project tools and monitoring."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

from ...patterns import late
from ..judge import drawn, jumbled
from ..rule import Rule
from .shape import exact, make_named_value_rule, shape

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


def _jumbled(value: str) -> bool:
    body = value.rpartition("_")[2]
    return drawn(body) and jumbled(body)


# fmt: off
DEVELOPERS = (
    shape("github-token", "GitHub personal, OAuth, app, installation or refresh token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{24,255}"),
    shape("github-token", "GitHub fine-grained token", "github_pat_", r"github_pat_[A-Za-z0-9_]{30,255}"),
    make_named_value_rule("github-token", "GitHub token or secret of the older form, by context", ("github_token", "github token", "gh_token", "github_secret", "github_client_secret", "github_pat"), r"[a-f0-9]{40}"),
    shape("gitlab-token", "GitLab token", ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glwt-", "glrtr-", "gr1348941"),
          r"(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|ffct|imt|agent|oas|soat|wt)-[\w.-]{18,300}|GR1348941[\w-]{18,60})"),
    shape("bitbucket-token", "Bitbucket app password or access token", ("atbb", "atctt3"), r"(?:ATBB[A-Za-z0-9]{24,60}|ATCTT3[\w=-]{60,300})"),
    make_named_value_rule("bitbucket-token", "Bitbucket secret, by context", "bitbucket", r"[A-Za-z0-9=_-]{32,64}"),
    shape("atlassian-token", "Atlassian API token", "atatt3", r"ATATT3[\w=-]{40,300}"),
    make_named_value_rule("atlassian-token", "Atlassian token of the older form, by context", ("atlassian", "jira", "confluence"), r"[A-Za-z0-9]{24}"),
    shape("npm-token", "npm token", "npm_", r"npm_[A-Za-z0-9]{30,60}"),
    shape("pypi-token", "PyPI token", "pypi-", r"pypi-Ag[\w-]{40,1000}"),
    shape("rubygems-key", "RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{40,60}"),
    shape("nuget-key", "NuGet key", "oy2", r"oy2[a-z0-9]{43}(?![a-z0-9])"),
    shape("crates-token", "crates.io token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    shape("clojars-token", "Clojars token", "clojars_", r"CLOJARS_[A-Za-z0-9]{50,70}"),
    shape("artifactory-key", "Artifactory key or token", ("akcp", "cmvmd"), r"(?:AKCp[A-Za-z0-9]{50,80}|cmVmd[A-Za-z0-9]{50,70})", entropy=4.0),
    shape("postman-key", "Postman key", ("pmak-", "pmat-"), r"PM(?:AK|AT)-[A-Za-z0-9]{20,30}(?:-[A-Za-z0-9]{20,40})?"),
    shape("linear-key", "Linear key", ("lin_api_", "lin_oauth_"), r"lin_(?:api|oauth)_[A-Za-z0-9]{30,80}"),
    shape("notion-token", "Notion token", ("ntn_", "secret_"), r"(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{40,50}(?![A-Za-z0-9_]))"),
    shape("airtable-token", "Airtable personal access token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{60,70}"),
    make_named_value_rule("airtable-token", "Airtable key, by context", "airtable", r"key[A-Za-z0-9]{14}"),
    make_named_value_rule("asana-token", "Asana token or secret, by context", "asana", r"[a-z0-9]{32}|\d/\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32}"),
    exact("asana-token", "Asana personal access token", ("0/", "1/", "2/"), r"[012]/\d{15,17}(?:/\d{15,17})?:[a-f0-9]{32}(?![a-f0-9])"),
    shape("clickup-token", "ClickUp token", "pk_", r"pk_\d{6,10}_[A-Z0-9]{30,34}"),
    shape("figma-token", "Figma token", ("figd_", "figo_", "figu_"), r"fig[dou]_[\w-]{36,60}"),
    shape("readme-key", "ReadMe key", "rdme_", r"rdme_[a-z0-9]{50,80}"),
    shape("prefect-key", "Prefect key", ("pnu_", "pnb_"), r"pn[ub]_[A-Za-z0-9]{32,40}"),
    shape("sentry-token", "Sentry token", ("sntrys_", "sntryu_"), r"sntry[su]_[\w+/=-]{40,400}"),
    Rule("sentry-dsn", "key in a Sentry DSN", ("://",), late(r"://([a-f0-9]{32}(?::[a-f0-9]{32})?)@[\w.-]{4,80}/\d{1,20}"), group=1, drawn=True),
    make_named_value_rule("sentry-token", "Sentry token of the older form, by context", "sentry", r"[a-f0-9]{64}"),
    shape("grafana-token", "Grafana token", ("glc_", "glsa_", "eyjrijoi"), r"(?:eyJrIjoi[A-Za-z0-9+/]{20,400}={0,3}|glc_[A-Za-z0-9+/=]{32,400}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8})"),
    make_named_value_rule("datadog-key", "Datadog key, by context", ("datadog", "dd_api_key", "dd-api-key", "dd_app_key", "dd_application_key", "dd-application-key"), r"[a-f0-9]{40}|[a-f0-9]{32}"),
    shape("newrelic-key", "New Relic key", ("nrak-", "nrii-", "nrjs-", "nrra-", "nriq-"), r"NR(?:AK|II|JS|RA|IQ)-[A-Za-z0-9_-]{19,50}"),
    make_named_value_rule("newrelic-key", "New Relic license key, by context", ("newrelic", "new_relic", "new-relic", "new relic"), r"(?:eu01xx)?[a-fA-F0-9]{34}NRAL|[a-f0-9]{40}|[a-z0-9]{64}"),
    shape("dynatrace-token", "Dynatrace token", ("dt0c01.", "dt0s01."), r"dt0[cs]01\.[A-Za-z0-9]{20,26}\.[A-Za-z0-9]{50,70}"),
    shape("honeycomb-key", "Honeycomb key", ("hcaik_", "hcxik_", "hcamk_"), r"hc[a-z]{2}k_[A-Za-z0-9]{40,80}"),
    shape("sonar-token", "SonarQube token", ("sqp_", "squ_", "sqa_"), r"sq[pua]_[a-f0-9]{40}"),
    make_named_value_rule("tool-token", "Snyk, Codecov, CircleCI, Travis, Sonar, Rollbar or Splunk token, by context",
          ("snyk", "codecov", "circleci", "circle_token", "travis", "sonar", "rollbar", "splunk", "logdna", "pagerduty", "launchdarkly", "buildkite", "amplitude", "mixpanel"),
          UUID + r"|[A-Za-z0-9+/_-]{20,64}"),
    # Talk is full of segments: here the name alone does not make what follows a token.
    make_named_value_rule("tool-token", "Segment key or token, by context", "segment", UUID + r"|[A-Za-z0-9+/_-]{20,64}", says=r"key|token|secret"),
    shape("circleci-token", "CircleCI token", "ccipat_", r"CCIPAT_[A-Za-z0-9_]{30,90}"),
    shape("launchdarkly-key", "LaunchDarkly key", ("sdk-", "api-"), r"(?:sdk|api)-" + UUID),
    shape("pagerduty-key", "PagerDuty key", "u+", r"u\+[A-Za-z0-9_+-]{18}(?![A-Za-z0-9_+-])"),
    shape("sourcegraph-token", "Sourcegraph token", ("sgp_", "slk_"), r"(?:sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f0-9]{64})"),
    shape("octopus-key", "Octopus Deploy key", "api-", r"API-[A-Z0-9]{25,32}(?![A-Za-z0-9])"),
    shape("1password-key", "1Password secret key or service account token", ("a3-", "ops_ey"), r"(?:A3-[A-Z0-9]{6}-[A-Z0-9]{6}(?:-[A-Z0-9]{5}){4}|A3-[A-Z0-9]{6}-[A-Z0-9]{11}(?:-[A-Z0-9]{5}){3}|ops_eyJ[\w+/=-]{100,2000})"),
    shape("buildkite-token", "Buildkite token", ("bkua_", "bkt_"), r"(?:bkua_[a-z0-9]{36,44}|bkt_[A-Za-z0-9_]{40,80})"),
    shape("infracost-key", "Infracost key", "ico-", r"ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    shape("contentful-token", "Contentful token", "cfpat-", r"CFPAT-[\w-]{40,60}"),
    shape("typeform-token", "Typeform token", "tfp_", r"tfp_[\w.=-]{40,80}"),
    shape("posthog-key", "PostHog personal key", ("phx_", "phs_"), r"ph[xs]_[A-Za-z0-9]{32,60}"),
    shape("issued-token", "token of Adobe, Apify, Authress, Beamer, Defined Networking, E2B, Frame.io, Inngest, Intra 42, MaxMind, Ory, RunPod, Scalingo, SettleMint, Stytch, Together or Xata",
          ("p8e-", "apify_", "authress_", "ext_", "dnkey-", "e2b_", "fio-u-", "signkey-", "s-s4t2", "ory_", "rpa_", "tk-us-", "sm_", "secret-", "tgp_v1_", "xau_", "4b1d", "pat.", "sat."),
          r"(?:p8e-[a-z0-9]{32}(?![a-z0-9])|apify_(?:api|proxy)_[A-Za-z0-9]{30,50}|(?:authress|ext)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}|dnkey-[\w=-]{26}-[\w=-]{52}|e2b_[a-f0-9]{40}|fio-u-[\w=-]{60,70}|signkey-(?:prod|test|branch)-[a-f0-9]{32,64}|s-s4t2(?:ud|af)-[a-f0-9]{64}|ory_(?:at|rt|ac|st|pat|apikey)_[\w.-]{30,100}|rpa_[A-Z0-9]{40,50}\w{0,6}|tk-us-[\w-]{48}|sm_[aps]at_[A-Za-z0-9]{16}|secret-(?:live|test)-[\w-]{30,60}=?|tgp_v1_[\w-]{40,50}|xau_[A-Za-z0-9]{24,50}|4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])|[ps]at\.[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20})"),
    Rule("issued-token", "token with a prefix nobody here knows: mixed letters and digits, longer than any id", ("_",),
         late(r"(?<![A-Za-z0-9_./-])[a-z][a-z0-9]{1,9}_(?:[a-z0-9]{2,8}_){0,2}[A-Za-z0-9]{36,255}(?![\w./-])"), anywhere=True, entropy=4.2, check=_jumbled, drawn=True, rank=1),
    shape("resend-key", "Resend key", "re_", r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}(?![A-Za-z0-9_])"),
)
