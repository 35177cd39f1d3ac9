"""Words that ask, by language: interrogatives, and the verbs that open a question or follow an interrogative.

They tell the language of a question (language/question_language.py) and are not what it asks about. What a text is
indexed by (language/detect.py) and what is searched for do not depend on them: "gibt" and "hace" may have been said.
"""

from __future__ import annotations

from functools import cache

from .function_words import fold_accents

# Every interrogative that is one word, and the forms of to be, to have, to become, can, must, shall, will, may and
# (where it opens questions) to do, go and give. Not here, because English, Malay, Latvian or others have them as well:
# face (Romanian), word (Dutch), boleh (Indonesian), vai (Portuguese).
_WORDS = {
    "de": """was wer wen wem wessen wann wo wie warum wieso weshalb weswegen woher wohin wieviel wieviele wievielte
        wievielten wievielter welche welchen welchem welcher welches
        wobei wodurch wofür wofuer wogegen wohinter womit wonach woneben woran worauf woraus worein worin worüber
        worueber worum worunter wovon wovor wozu wozwischen
        bin bist ist sind seid sei seien war warst waren wart wäre wärst wären gewesen
        habe hab hast hat haben habt hatte hattest hatten hattet hätte hättest hätten gehabt
        werde wirst wird werden werdet wurde wurdest wurden wurdet würde würdest würden würdet geworden
        kann kannst können könnt konnte konntest konnten konntet könnte könntest könnten könntet
        muss musst müssen müsst musste musstest mussten müsste müsstest müssten
        soll sollst sollen sollt sollte solltest sollten solltet will willst wollen wollt wollte wolltest wollten
        darf darfst dürfen dürft durfte durftest durften dürfte mag magst mögen mögt mochte mochtest mochten möchte
        möchtest möchten gibt gibts gab niemand jemand etwas nichts einige manche ohne bitte dann jetzt immer""",
    "es": """qué quién quiénes cuál cuáles cuándo dónde adónde cómo cuánto cuánta cuántos cuántas
        soy eres somos sois fui fuiste fue fuimos fueron éramos será serán sería
        estoy estás está estamos están estuve estuviste estuvo estuvieron estaba estaban esté
        hemos habéis había habían habrá habría tengo tienes tiene tenemos tienen tenía tenían tuve tuviste tuvo tuvieron
        puedo puedes puede podemos pueden pude pudo podía podría podrías debo debes debe deben debería deberías
        quiero quieres quiere quieren quería querías voy vas vamos iba iban hizo hiciste hicieron hace haces hacen
        alguien nadie algo nada alguna alguno ninguna ninguno siempre nunca ahora todavía""",
    "fr": """qui que quoi quel quelle quels quelles quand comment pourquoi combien où lequel laquelle lesquels
        lesquelles auquel auxquels auxquelles duquel desquels desquelles
        suis sommes êtes sont étais était étions étiez étaient serez seras seront serait serais seriez soit
        avons avez ont avais avait aviez avaient auras aurez auront aurait aurais
        peux peut pouvons pouvez peuvent pourrait pourrais pourriez pouvait dois doit devons devez doivent devrait
        devrais veux veut voulons voulez veulent voudrais voudrait voudriez vas vais allons allez vont fait fais faites
        faisait maintenant quelqu quelque quelques personne rien jamais toujours quiconque chacun déjà ici cela oui""",
    "pt": """quem qual quais quando onde aonde quanto quanta quantos quantas porquê quê
        sou és somos são era eram fui foste foi fomos foram será serão seria estou estás estamos estão estava estavam
        esteve estiveram tenho tem temos têm tinha tinham tive teve tiveram terá posso podes pode podemos podem
        podia poderia pude pôde devo deves deve devemos devem deveria quero quer queres querem queria vou vamos
        vão ia iam fez fizeram fazem faz alguém ninguém alguma algum nenhum nenhuma tudo nada você vocês sempre nunca
        agora ainda""",
    "it": """chi che cosa cos quale quali qual quando dove dov come com quanto quanta quanti quante perché cui
        sono sei siamo siete ero eri eravamo erano fui fu furono sarà saranno sarebbe sarò sarai sia siano
        hai abbiamo avete hanno avevo avevi aveva avevano avrà avresti avrebbe
        posso puoi può possiamo potete possono poteva potrebbe potresti potrei devo deve dobbiamo dovete devono
        dovrebbe voglio vuoi vuole vogliamo volete vogliono voleva vorrei vorresti vorrebbe sapete vado andiamo
        andate vanno sta stai stanno stava fatto facciamo fanno fece qualcuno qualcosa qualche nessuno niente
        nulla sempre adesso ancora qui là""",
    "ro": """cine cui când cand unde cum cât câtă câți câte cata care căruia cărei căror cărui căreia încotro ce
        sunt ești esti este suntem sunteți eram erai era erau fost fi fiu fie va voi vei vom veți vor
        are avem aveți avea aveam aveau avut ați aș pot poți poate putem puteți puteau putea putut trebuie trebuia
        vreau vrei vrea vrem vreți vor vrut făcut faci fac cineva nimeni ceva nimic vreun vreo deci bine acum
        într dintr printr către asupra împotriva unele unii""",
    "ca": """què qui quin quina quins quines quan on com quant quanta quants quantes perquè
        sóc ets és som sou són era eren va van vaig serà està estàs estan estava tinc té tenim teniu tenen
        tenia puc podem podeu poden podria podries vull voleu volen ho hi""",
    "nl": """wie wat waar wanneer waarom hoe welk welke hoeveel hoelang hoezo wiens wier waaraan waarachter waarbij
        waarbinnen waarboven waardoor waarheen waarin waarlangs waarmee waarna waarnaar waarnaast waaromheen waaronder
        waarop waarover waartegen waartoe waartussen waaruit waarvan waarvandaan waarvoor
        ben bent is zijn was waren geweest heb hebt heeft hebben had hadden gehad wordt worden werd werden geworden
        zal zult zullen zou zouden kan kun kunt kunnen kon konden moet moeten moest moesten mag mogen mocht mochten
        wil wilt willen wilden wou doet doen ga gaat gaan ging gingen komt iemand niemand iets niets
        altijd nooit nu al ge nietwaar hè""",
    "sv": """vad vem vems vilken vilket vilka när var vart varför varifrån hur hurdan
        är var vara varit blir blev blivit har hade haft kan kunde kunnat ska skall skulle måste vill får fick
        bör borde gör gjorde går gick någon något några ingen inget inga aldrig alltid nu också""",
    "da": """hvad hvem hvis hvornår hvor hvorfor hvordan hvilken hvilket hvilke hvorhen hvorfra hvormed hvortil
        er var være været bliver blev blevet har havde haft kan kunne skal skulle må måtte vil får fik bør burde
        gør gjorde går gik nogen noget nogle ingen intet aldrig altid nogensinde """,
    "no": """hva hvem når hvor hvorfor hvordan hvilken hvilket hvilke hvorhen hvorfra åssen
        er var være vært blir ble blitt har hadde hatt kan kunne skal skulle må måtte vil får fikk bør burde
        gjør gjorde går gikk noen noe ingen aldri alltid noensinne ikke meg deg""",
    "fi": """kuka ketkä kenen ketä kenet kenelle keneltä kenellä kenestä mikä mitkä mitä minkä missä mistä mihin millä
        miltä milloin minne miksi miksei miten kuinka montako paljonko millainen millaisia kumpi kumman
        olen olet on olemme olette ovat olin olit oli olimme olivat onko oletko olenko oliko olitko ovatko ollut
        voinko voitko voiko voimmeko voisitko saanko saako pitääkö haluatko haluaisitko eikö etkö enkö tuliko""",
    "hu": """ki kik kit kinek kivel kitől mi mit mik minek mivel miből mikor mióta meddig hol hova hová honnan miért
        hogyan hogy mennyi mennyibe hány hányan melyik melyiket milyen merre mire miről
        vagyok vagy van vagyunk vannak volt voltak voltam voltál lesz lesznek lett tud tudsz tudok tudja tudná kell
        szabad akar akarsz lehet""",
    "pl": """kto kogo komu kim co czego czemu czym kiedy gdzie dokąd skąd dlaczego jak jaki jaka jakie jakiego jakiej
        jakich jakim jaką który która które którego której których którym którą ile ilu czy czyj czyja czyje 
        jestem jesteś jest jesteśmy są byłem byłam byłeś byłaś był była było byli były będę będziesz będzie będą
        mam masz ma mamy mają miał miała miałem miałam miały mieli mogę możesz może możemy mogą mógł mogła mógłbym
        mógłbyś muszę musisz musi muszą chcę chcesz chce chcą ktoś nikt coś zawsze nigdy teraz jeszcze""",
    "cs": """kdo koho komu kým co čeho čemu čím kdy kde odkud kam proč jak jaký jaká jaké jakého jakou jakým který
        která které kterého kterou kterým kolik čí zda
        jsem jsi je jsme jste jsou byl byla bylo byli byly budu budeš bude budou mám máš má máme máte mají měl měla
        mohu můžu můžeš může můžete mohl mohla musím musíš musí chci chceš chce chcete chtěl někdo nikdo něco 
        abych bych bys by byste""",
    "tr": """kim kimin kimi kime kimde kimden kimle kiminle kimler kimleri kimlerin kimdir kimdi kimmiş ne neyi neye
        neyin neyle neden nedir neydi neler neleri nelerdir niçin niye nasıl nasıldı nasıldır nerede nerde nereye
        nereden neresi nereli neresinde nerededir neredeydi hangi hangisi hangileri kaç kaçta kaçıncı kaça
        mi mı mu mü miyim mıyım muyum müyüm misin mısın musun müsün miyiz mıyız muyuz müyüz misiniz mısınız musunuz
        müsünüz midir mıdır mudur müdür miydi mıydı muydu müydü miydin mıydın mıydınız
        var vardı yok yoktu değil değildi oldu olur olacak idi ise gelmektedir etmektedir""",
    "id": """apa apakah siapa kapan kapankah mana dimana kemana darimana bagaimana
        bagaimanakah mengapa kenapa berapa berapakah bisakah dapatkah maukah haruskah pernahkah
        benarkah ada adalah bisa dapat harus akan sudah belum pernah sedang milik""",
    "vi": """ai gì nào đâu sao khi bao nhiêu thế là có không được đã đang sẽ phải chưa""",
}

_TAKEN = frozenset({"ware", "sera", "sara", "far", "mate", "mas"})  # without their accents they are other words


@cache
def question_words() -> dict[str, frozenset[str]]:
    """Words that ask, also without their accents, and the languages that have them."""
    found: dict[str, set[str]] = {}
    for language, words in _WORDS.items():
        for word in words.split():
            for form in {word, fold_accents(word)} - _TAKEN:
                found.setdefault(form, set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}
