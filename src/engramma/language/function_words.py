"""Function words by language: they stand in every text and say nothing about what it is about.

They tell languages apart (language/detect.py), and a question asks for them only if it has nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Not here, because they also mean something: may, march, one, first, last, new, like, know, work, home.
_ENGLISH = """
    a an the this that these those there here it its it's he him his she her hers they them their theirs we us our
    ours you your yours i me my mine myself yourself himself herself itself ourselves yourselves themselves
    one's who whom whose which what when where why how whether
    am is are was were be been being have has had having do does did doing done will would shall should can could
    might must ought cannot
    and or but nor so yet if then else than because as while until although though since unless whereas
    of at by for with about against between into through during before after above below to from up down in out on
    off over under within without upon onto toward towards among across along around via per
    again further once ever never always also too very just only even still already quite rather really such same
    other another any some all both each every either neither more most much many few several no not own
    what's who's where's when's how's why's that's there's here's he's she's let's i'm you're we're they're i've
    you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll it'll
    isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't shan't shouldn't can't
    couldn't mightn't mustn't ain't
    isnt arent wasnt werent havent hasnt hadnt dont doesnt didnt wont wouldnt shouldnt cant couldnt whats thats im ive
    s t d m ll re ve
"""
ENGLISH = frozenset(_ENGLISH.split())

# Languages in Latin letters: these words tell them.
_LATIN = {
    "es": """el la los las un una unos unas lo al del de en con por para sin sobre entre desde hasta hacia y e
        o u ni pero que qué quien quién quienes cual cuál cuáles cuando cuándo donde dónde como cómo cuanto
        cuánto cuántos cuántas porque si sí no ya muy más menos también se me te le les nos os mi mis tu tus su
        sus nuestro nuestra este esta estos estas esto ese esa eso aquel aquella es son era eran fue fueron ser
        soy eres somos está están estaba estoy estás hay había ha han he has hemos hubo yo tú él ella ellos
        ellas usted ustedes nosotros a algo""",
    "de": """der die das den dem des ein eine einen einem einer eines kein keine keinen und oder aber doch
        denn sondern nicht auch noch nur schon sehr mehr ist sind war waren wird werden wurde wurden worden
        sein bin bist seid hat habe haben hatte hatten hast habt kann können konnte muss müssen soll sollen
        will wollen mag ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch ihnen sich mein meine
        meinen meinem meiner dein deine deinen seine seinen seiner seinem ihre ihren ihrer ihrem unser unsere
        was wer wen wem wessen wann wo woher wohin wie warum wieso weshalb welche welcher welches welchen
        welchem in im an am auf aus bei beim bis durch für gegen mit nach seit um unter über vom von vor zu zum
        zur zwischen während wegen als wenn weil dass ob dieser diese dieses diesen diesem jeder jede jedes so
        da dort hier man wurde habe""",
    "fr": """le la les un une des du de au aux et ou où mais donc ni car que qui quoi quel quelle quels
        quelles quand comment pourquoi combien dont ce cet cette ces c l d j m n s t qu est sont était étaient
        être suis es sommes êtes fut été a ai as avons avez ont avait avaient avoir eu je tu il elle on nous
        vous ils elles me te se lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos dans en sur
        sous avec sans pour par chez entre vers pas ne plus très aussi si y à lors depuis pendant après avant""",
    "pt": """o a os as um uma uns umas do da dos das no na nos nas ao aos à às pelo pela pelos pelas de em com
        por para sem sobre entre até e ou mas que quem qual quais quando onde como quanto quanta quantos
        quantas porque por se não sim já muito mais menos também me te lhe lhes meu minha meus minhas teu tua
        seu sua seus suas nosso nossa este esta estes estas isto esse essa isso aquele aquela aquilo é são era
        eram foi foram ser sou está estão estava estou há havia tem têm tinha ter eu tu ele ela eles elas você
        vocês nós num numa""",
    "it": """il lo la i gli le un uno una del dello della dei degli delle dell al allo alla ai agli alle all
        dal dallo dalla dai dagli dalle dall nel nello nella nei negli nelle nell sul sullo sulla sui sugli
        sulle sull di a da in con su per tra fra e ed o ma se che chi cui quale quali quando dove come quanto
        quanta quanti quante perché perche non sì già molto più meno anche mi ti ci vi si l mio mia miei mie
        tuo tua tuoi tue suo sua suoi sue nostro nostra questo questa questi queste quello quella quelli quelle
        è sono era erano fu furono essere sei siamo siete stato stata ho hai ha abbiamo avete hanno aveva
        avevano io tu lui lei noi voi loro cosa cos""",
    "ro": """un o al ai ale a lui unui unei unor cel cea cei cele și si sau dar iar ci nici că ca să sa dacă
        daca de din în in la pe cu prin pentru fără spre între după dupa până sub peste despre care ce cine cui
        când cand unde cum cât cat câți câte cati cate de nu da mai foarte tot este e sunt era erau fi fost am
        ai are avem aveți au avea aveau eu tu el ea noi voi ei ele îi îl îmi îți își le se s-a mă te ne vă meu
        mea mei mele tău ta său sa nostru acest această acestui acestei acești aceste acel acea acele doar
        decât""",
    "ca": """el la els les un una uns unes lo al als del dels de en amb per sense sobre entre fins i o ni però
        perquè que què qui quin quina quins quines quan on com quant quants quantes si no ja molt més menys
        també es em et li ens us meu meva teu teva seu seva seus seves aquest aquesta aquests aquestes això
        aquell és són era eren va van ser sóc està estan hi ha havia han he has jo tu ell ella nosaltres
        vosaltres ells elles l d s n m""",
    "nl": """de het een en of maar want dus niet geen ook nog al wel zeer meer is zijn was waren wordt worden
        werd werden ben bent heb hebt heeft hebben had hadden kan kunnen kon moet moeten zal zullen zou wil ik
        jij je u hij zij ze wij we jullie mij me jou hem haar ons hen hun mijn jouw onze wat wie waar wanneer
        waarom hoe welk welke hoeveel waarmee in op aan uit bij door voor tegen met na naar sinds om onder over
        van vanaf te tot tussen tijdens als dat die dit deze er daar hier""",
    "sv": """en ett den det de dem och eller men inte ingen inga också bara mycket mer är var vara blev blir
        har hade ha kan kunde ska skulle måste vill jag du han hon vi ni mig dig honom henne oss er sig min
        mitt mina din ditt dina hans hennes vår vårt våra deras vad vem vems när var varför hur vilken vilket
        vilka i på av från till med för om under över vid mellan genom efter före innan mot utan som att så där
        här denna detta dessa""",
    "da": """en et den det de dem og eller men ikke ingen også kun meget mere er var være blev bliver har
        havde have kan kunne skal skulle må vil jeg du han hun vi i mig dig ham hende os jer sig min mit mine
        din dit dine hans hendes vores deres hvad hvem hvis hvornår hvor hvorfor hvordan hvilken hvilket hvilke
        på af fra til med for om under over ved mellem gennem efter før mod uden som at så der her denne dette
        disse""",
    "no": """en ei et den det de dem og eller men ikke ingen også bare mye mer er var være ble blir har hadde
        ha kan kunne skal skulle må vil jeg du han hun vi dere meg deg ham henne oss seg min mitt mine din ditt
        dine hans hennes vår vårt våre deres hva hvem når hvor hvorfor hvordan hvilken hvilket hvilke i på av
        fra til med for om under over ved mellom gjennom etter før mot uten som at så der her denne dette disse""",
    "fi": """ja tai mutta ei eivät en et emme ette se ne on ovat oli olivat olla olen olet olemme olette ollut
        minä sinä hän me te he minun sinun hänen meidän teidän heidän mitä mikä mitkä kuka ketkä kenen ketä
        milloin koska missä mistä mihin minne miksi miten kuinka millainen mikä joka jotka jonka jossa että jos
        kun niin kuin vain myös hyvin tämä tuo nämä nuo tässä siinä siitä tästä sen tämän onko oliko oletko
        sitten""",
    "hu": """a az egy és vagy de nem is csak már még nagyon ez azt ezt ezek azok van vannak volt voltak lesz
        lenni vagyok vagy én te ő mi ti ők engem téged minket nekem neked neki mit ki kik kit kinek mikor hol
        hova honnan miért hogyan hogy mennyi hány melyik milyen amely ami aki ha mert mint fel le be ki meg el
        volna""",
    "pl": """i a w we z ze na do od po za przez przy dla o u pod nad przed między bez oraz lub albo ale że czy
        nie tak się jest są był była było byli były być będzie będą jestem jesteś ma mają miał miała mam masz
        ja ty on ona ono my wy oni one mnie mi mu jej jego ich nas was nam go ją im mój moja moje twój twoja
        swój swoją co kto kogo komu kiedy gdzie skąd dokąd dlaczego jak jaki jaka jakie który która które
        których ile czym ten ta to te tego tej tym tych też już tylko bardzo jako""",
    "cs": """a i v ve z ze na do od po za přes při pro o u pod nad před mezi bez nebo ale že zda ne ano se si
        je jsou byl byla bylo byli byly být bude budou jsem jsi jsme jste má mají měl měla mám máš já ty on ona
        ono my vy oni mě mi mu jí jeho její jich nás vás nám ho ji jim můj moje tvůj svůj svou co kdo koho komu
        kdy kde odkud kam proč jak jaký jaká jaké který která které kterých kolik čím ten ta to ti toho té tím
        těch také už jen velmi jako""",
    "tr": """ve veya ya da de ile ama fakat için gibi kadar daha çok en bir bu şu o bunlar şunlar onlar bunun
        onun onu ona ben sen biz siz bana sana beni seni benim senin bizim sizin ne neden niçin nasıl nerede
        nereye nereden kim kimin kimi kime hangi hangisi kaç zaman mi mı mu mü midir mıdır mudur müdür değil
        var yok olan olarak oldu olmuş olur ise idi her hiç ki nedir kimdir neydi kimdi nın nin nun nün ın in
        un ün dan den ta te nda nde ndan nden ya ye yı yi yu yü""",
    "id": """yang dan atau tetapi tapi di ke dari dalam pada untuk dengan oleh tentang antara sampai sejak ini
        itu tidak bukan sudah telah akan sedang masih juga hanya sangat lebih adalah ialah ada saya aku kamu
        anda dia ia kami kita mereka nya apa siapa kapan mana dimana bagaimana mengapa kenapa berapa apakah
        jika kalau karena sebagai seperti para""",
    "vi": """là và của có không được cho các những một này đó kia với trong trên dưới từ đến tại ở về bởi vì
        nên nhưng hoặc hay thì mà đã đang sẽ cũng rất nào gì ai đâu bao nhiêu khi sao tại thế như tôi bạn anh
        chị em nó họ chúng ta mình ông bà ra vào lại để theo bị do cái con người việc""",
}

# Languages known by their letters. Written without spaces: asked-for runs are cut at these words.
_OTHER = """
    и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от
    меня еще нет о из ему теперь когда даже ну ли если или ни быть был была были него до вас уже вам ведь там
    потом себя ей они тут где есть надо ней для мы тебя их чем сам чтоб без будто чего раз тоже себе под будет
    кто этот того потому этого какой какая какое какие каким какими какую каких какого совсем ним этом один мой
    моя мое мои тем чтобы нее кого кому куда откуда зачем почему сколько это эта эти этой этих при об для через
    над между про которые который которая которое которых является являются твой твоя наш ваш свой своих между
    чей чья та що як де коли хто чому скільки який яка яке які це ця цей ці є був була було були у з із зі від
    до за на не ні але або чи й його її їх вони вона воно він ми ви ти мій моя твій свій для про при під над
    між через

    ο η το οι τα του της των τον την τους τις ενα ενας μια και ή να θα δεν μην με σε στο στη στην στον στους
    στις στα απο για ως προς κατα μετα παρα που πως ποτε ποιος ποια ποιο ποιοι ποιες ποιων ποιον ποιαν τι που
    πόσο ποσο ποσα ποσοι ποσες γιατι οταν αν αλλα ομως ειναι ηταν ειμαι εισαι ειχε εχει εχουν ειχαν εχω εχεις
    αυτο αυτος αυτη αυτα αυτοι αυτες αυτου αυτης εγω εσυ εμεις εσεις μου σου μας σας πολυ πιο οπως καθε οποια
    οποιο οποιος

    في من الى إلى على عن مع هذا هذه ذلك تلك هو هي هم هن أنا انا أنت انت نحن ما ماذا من متى أين اين كيف لماذا كم
    أي اي أية هل أن ان إن لا لم لن قد كان كانت كانوا يكون تكون و أو او ثم بل لكن التي الذي الذين كما عند عندما
    بعد قبل بين حتى إذا اذا كل بعض غير منذ خلال حول لدى ليس ليست به بها له لها فيه فيها منه منها عليه عليها
    أيضا ايضا والتي والذي و در به از که این آن را با برای است بود شد شده می های هم نیز یا اما تا بر چه کی کجا
    چرا چگونه چند چقدر آیا من تو او ما شما آنها ایشان هست هستند بودند دارد داشت کدام چیست کیست کجاست

    का के की को में से पर ने और या है हैं था थे थी हो होता होती होते हुआ हुई हुए यह वह ये वे इस उस इन उन इसके
    उसके इसकी उसकी इसका उसका जो कि तो ही भी नहीं न एक क्या कौन कब कहाँ कहां क्यों कैसे कैसा कैसी किस किसने किसे
    किसके किसका किसकी कितना कितने कितनी कौनसा कौनसी मैं मुझे मेरा मेरी मेरे हम हमारा तुम आप आपका अपना अपनी अपने
    उन्हें इसे उसे लिए साथ द्वारा तक कर करना करते करता करती किया की गया गई गए जा रहा रही रहे जब अगर लेकिन

    আমি আমার আমাকে আমরা আমাদের তুমি তোমার তোমাকে আপনি আপনার আপনাকে সে তার তাকে তারা তাদের তিনি এই ঐ সেই এটা এটি
    ওটা সেটা এবং ও আর বা কিন্তু যদি তবে কি কী কে কার কাকে কবে কখন কোথায় কেন কেমন কীভাবে কিভাবে কত কোন কোনো না নেই
    নয় হয় ছিল ছিলেন আছে আছেন থেকে জন্য সঙ্গে সাথে দিয়ে পর্যন্ত মধ্যে উপর একটি একটা

    של את על עם אל אני אתה הוא היא אנחנו הם הן זה זאת זו מה מי מתי איפה היכן למה מדוע איך כמה איזה איזו אם או אבל
    כי גם רק לא כן יש אין היה הייתה היו לי שלי לך שלך לו שלו לה שלה לנו שלנו
"""

_RUNS = """
    什么时候 为什么 怎么样 什么 怎么 怎样 哪里 哪儿 哪些 哪个 哪一个 多少 多大 多久 谁的 是否 是不是 有没有
    能不能 告诉我 告诉 一下 来着 另外 还有 以及 这个 那个 这些 那些 我们 你们 他们 她们 它们 咱们 知道 请问
    如何 何时 何地 为何 或者 还是 因为 所以 但是 如果 虽然 而且 并且 关于 对于 由于 时候 已经 的 了 吗 呢 吧 啊
    呀 嘛 是 什麼時候 為什麼 怎麼樣 什麼 怎麼 怎樣 哪裡 哪個 誰的 這個 那個 這些 我們 你們 他們 她們 請問 嗎
    還是 還有 因為 關於 對於 時候 ですか でしたか でしょうか ますか ましたか ませんか でした でしょう です
    ました ます という といった について とは どこで どこに どこ だれ なぜ どのように どうして どうやって
    どんな どの どれ いくつ いくら どのくらい 何ですか 何が 何を 何の 何で 何 誰が 誰の 誰 ている ていた
    していた しました します を

    무엇입니까 무엇인가요 무엇을 무엇이 무엇 누구입니까 누구인가요 누구의 누구 어디에서 어디서 어디에 어디 언제
    어떻게 어떤 얼마나 몇 왜 뭐예요 뭐야 입니까 인가요 있나요 했나요 나요 습니까 습니다 합니다 입니다 그리고
    하지만 그래서 에서 에게

    อะไรบ้าง อะไร ใคร ที่ไหน เมื่อไหร่ เมื่อไร เมื่อใด ทำไม อย่างไร ยังไง เท่าไหร่ เท่าไร เท่าใด กี่ ไหม หรือไม่ หรือเปล่า ใด
    ครับ ค่ะ คะ ซึ่ง และ หรือ
"""


def fold_accents(word: str) -> str:
    """A Latin word in small letters without accents, as people type who leave them out."""
    if word.isascii():
        return word.lower()
    return "".join(c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c))


@cache
def latin_words() -> dict[str, tuple[str, ...]]:
    """Function words in Latin letters, also without their accents, and the languages that have them; "" is English."""
    found: dict[str, dict[str, None]] = {word: {"": None} for word in ENGLISH}
    for language, words in _LATIN.items():
        for word in words.split():
            for form in (word, fold_accents(word)):
                found.setdefault(form, {})[language] = None
    return {word: tuple(languages) for word, languages in found.items()}


@cache
def other_words() -> frozenset[str]:
    """Function words in Cyrillic, Greek, Arabic, Devanagari, Bengali and Hebrew letters."""
    return frozenset(_OTHER.split())


@cache
def run_words() -> frozenset[str]:
    """Function words of scripts without spaces."""
    return frozenset(_RUNS.split())


@cache
def in_runs() -> re.Pattern[str]:
    """The same, the longest first, as they stand within a run of characters."""
    return re.compile("|".join(sorted(map(re.escape, run_words()), key=lambda word: (-len(word), word))))
