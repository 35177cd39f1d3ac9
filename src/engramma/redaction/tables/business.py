"""Payments, shops, mail, messengers and social networks."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

from ...patterns import late
from ..judge import drawn
from ..rule import Rule
from .shape import EDGE, exact, make_named_value_rule, searched, shape

HEX32 = r"[0-9a-f]{32}"

# fmt: off
BUSINESS = (
    shape("stripe-key", "Stripe secret, restricted or webhook key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "whsec_"), r"(?:(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9_]{10,250}|whsec_[A-Za-z0-9+/=]{20,80})"),
    shape("square-token", "Square token or secret", ("sq0atp-", "sq0csp-", "eaaa"), r"(?:sq0(?:atp|csp)-[\w-]{20,60}|EAAA[\w-]{58,62}(?![\w-]))"),
    Rule("paypal-token", "PayPal or Braintree access token", ("access_token$",), late(r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$([0-9a-f]{32})"), group=1, check=drawn, drawn=True),
    make_named_value_rule("payment-key", "PayPal, Braintree, Adyen, Plaid, Razorpay or Klarna secret, by context", ("paypal", "braintree", "adyen", "plaid", "razorpay", "klarna", "mollie"), r"[A-Za-z0-9_-]{24,80}"),
    shape("razorpay-key", "Razorpay key", ("rzp_live_", "rzp_test_"), r"rzp_(?:live|test)_[A-Za-z0-9]{14,24}"),
    shape("plaid-token", "Plaid access token", "access-", r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    shape("mollie-key", "Mollie, Lob or Adyen key", ("live_", "test_"), r"(?:live|test)_[A-Za-z0-9]{30,40}(?![A-Za-z0-9_])"),
    shape("shopify-token", "Shopify token or secret", ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_"), r"shp(?:at|ca|pa|ss|tka)_[A-Za-z0-9]{24,40}"),
    shape("flutterwave-key", "Flutterwave key", "flwseck", r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?"),
    shape("shippo-token", "Shippo token", "shippo_", r"shippo_(?:live|test)_[a-fA-F0-9]{32,40}"),
    shape("easypost-key", "EasyPost key", ("ezak", "eztk"), r"EZ[AT]K[A-Za-z0-9]{50,60}"),
    shape("duffel-token", "Duffel token", "duffel_", r"duffel_(?:test|live)_[\w=-]{30,50}"),
    make_named_value_rule("coin-key", "key of a crypto exchange, by context", ("coinbase", "binance", "kraken", "bitfinex", "bittrex", "kucoin", "alchemy", "infura", "etherscan"), r"[A-Za-z0-9_+/-]{30,90}={0,2}"),
    shape("twilio-key", "Twilio API key", "sk", r"SK[0-9a-fA-F]{32}(?![0-9A-Za-z])"),
    make_named_value_rule("twilio-token", "Twilio auth token, by context", "twilio", HEX32),
    Rule("twilio-token", "Twilio auth token next to its account id", ("ac",),
         late(EDGE + r"AC[0-9a-f]{32}[^0-9A-Za-z][^\n]{0,40}?\n?[^\n]{0,40}?(?<![0-9A-Za-z_-])(" + HEX32 + r")(?![0-9A-Za-z])"), group=1, check=drawn, drawn=True, rank=1),
    shape("sendgrid-key", "SendGrid key", "sg.", r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    shape("mailgun-key", "Mailgun key", "key-", r"key-[0-9a-f]{32}(?![0-9A-Za-z])"),
    make_named_value_rule("mailgun-key", "Mailgun, Postmark, SparkPost or Mandrill key, by context", ("mailgun", "postmark", "sparkpost", "mandrill"), r"[0-9a-f]{32}(?:-[0-9a-f]{8}){2}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z0-9_-]{22,40}"),
    searched("mailchimp-key", "Mailchimp key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    shape("brevo-key", "Brevo (Sendinblue) key", ("xkeysib-", "xsmtpsib-"), r"x(?:key|smtp)sib-[a-f0-9]{40,80}(?:-[A-Za-z0-9]{10,20})?"),
    shape("klaviyo-key", "Klaviyo private key", "pk_", r"pk_[a-f0-9]{32,36}(?![A-Za-z0-9_])"),
    shape("hubspot-token", "HubSpot private app token", ("pat-na", "pat-eu"), r"pat-(?:na|eu)\d-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    make_named_value_rule("service-key", "HubSpot, Salesforce, Zendesk, Intercom, Freshdesk or Algolia key, by context", ("hubspot", "salesforce", "zendesk", "intercom", "freshdesk", "algolia", "rapidapi", "mapbox", "twitch", "spotify"), r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z0-9_-]{30,60}"),
    shape("mapbox-token", "Mapbox secret token", "sk.ey", r"sk\.eyJ[\w-]{20,200}\.[\w-]{16,60}"),
    shape("salesforce-session", "Salesforce session id", "00d", r"00D[A-Za-z0-9]{12,15}![\w.]{60,140}"),
    shape("slack-token", "Slack token", ("xox", "xapp-"), r"(?:xox[a-z](?:\.xox[bp])?-(?:\d{1,14}-|[A-Za-z0-9+/%]{12})[A-Za-z0-9+/%-]{8,300}=*|xapp-\d-[A-Za-z0-9-]{20,200})"),
    Rule("slack-webhook", "Slack webhook", ("hooks.slack.com",), late(r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,200})"), group=1, check=drawn, drawn=True),
    Rule("teams-webhook", "Microsoft Teams webhook", ("webhook.office.com",), late(r"webhook\.office\.com/webhookb2/([\w@/-]{40,250})"), group=1, check=drawn, drawn=True),
    Rule("discord-webhook", "Discord webhook", ("api/webhooks/",), late(r"api/webhooks/(\d{15,21}/[\w-]{40,90})"), group=1, check=drawn, drawn=True),
    Rule("hook-url", "Zapier, Make, IFTTT, Google Chat or n8n webhook", ("hooks.zapier.com/", "hook.eu", "hook.us", "hook.integromat.com/", "maker.ifttt.com/"),
         late(r"(?:hooks\.zapier\.com/hooks/catch/|hook\.(?:[eu][us]\d?\.)?(?:make|integromat)\.com/|maker\.ifttt\.com/trigger/\w{1,60}/(?:json/)?with/key/)([\w/-]{10,100})"), group=1, check=drawn, drawn=True),
    # No word in it to look for. It starts with a set of letters, which the search skips to, and looks behind after it.
    Rule("discord-token", "Discord bot or user token", (".",), late(r"[MNO](?<![A-Za-z0-9].)[A-Za-z\d_-]{22,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{25,40}(?![A-Za-z\d_.-])"), anywhere=True, entropy=4.0, check=drawn, drawn=True),
    make_named_value_rule("discord-token", "Discord client secret, by context", "discord", r"[A-Za-z0-9_-]{32}|[a-f0-9]{64}"),
    Rule("telegram-token", "Telegram bot token", (":aa",), late(r"(?<!\d)\d{8,11}:AA[\w-]{32,36}(?![\w-])"), anywhere=True, check=drawn, drawn=True),
    searched("fcm-key", "Firebase Cloud Messaging server key", ":apa91b", r"AAAA[\w-]{7}:APA91b[\w-]{100,180}"),
    shape("facebook-token", "Facebook, Instagram or Meta token", ("eaa", "igq"), r"(?:EAA[A-Za-z0-9]{50,400}|IGQ[A-Za-z0-9_-]{60,300})", entropy=4.0),
    make_named_value_rule("facebook-token", "Facebook or Instagram secret, by context", ("facebook", "fb_app", "fb_secret", "instagram"), r"[0-9a-f]{32}|\d{13,17}\|[\w-]{20,40}"),
    make_named_value_rule("linkedin-token", "LinkedIn secret, by context", ("linkedin", "linked_in"), r"[A-Za-z0-9]{16}|WPL_AP\d\.[\w.=+/-]{10,60}"),
    shape("linkedin-token", "LinkedIn client secret or token", ("wpl_ap", "aqx", "aqv", "aqu", "aqw"), r"(?:WPL_AP\d\.[\w.=+/-]{10,60}|AQ[UVWX][\w-]{100,500})", entropy=3.5),
    shape("twitter-token", "Twitter/X bearer token", "aaaaaaaaaaaaaaaaaaaa", r"A{18,24}[\w%]{40,120}"),
    make_named_value_rule("twitter-token", "Twitter/X key or secret, by context", ("twitter", "x_api", "consumer_key", "consumer_secret"), r"\d{15,20}-[A-Za-z0-9]{30,45}|[A-Za-z0-9]{50}|[A-Za-z0-9]{45}|[A-Za-z0-9]{25}"),
    shape("dropbox-token", "Dropbox token", "sl.", r"sl\.(?:u\.)?[\w-]{60,1500}"),
    make_named_value_rule("dropbox-token", "Dropbox secret, by context", "dropbox", r"[a-z0-9]{15}|[A-Za-z0-9_=-]{60,80}"),
    make_named_value_rule("service-key", "Reddit, Yandex, Trello, Zoom, Box, Flickr, Okta or OpenWeather secret, by context", ("reddit", "yandex", "trello", "zoom_", "openweather", "weatherapi", "flickr", "newsapi", "alphavantage", "nytimes", "finnhub", "serpapi", "giphy", "unsplash", "pexels", "tmdb", "shodan", "virustotal"), r"[A-Za-z0-9_-]{20,80}"),
    exact("yandex-key", "Yandex key", ("aqvn", "t1.", "y0_"), r"(?:AQVN[\w-]{32,40}|t1\.[\w-]{20,300}={0,2}\.[\w-]{86}={0,2}|y0_[\w-]{50,70})"),
)
