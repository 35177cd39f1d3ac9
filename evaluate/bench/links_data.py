"""Sentences for links.py: made up, as people talk about a shared house, a shop and a club."""

from __future__ import annotations

THINGS = (
    *("harbour flat", "corner bakery", "rowing club", "garden shed", "blue van", "summer school", "choir hall"),
    *("bike workshop", "roof terrace", "old mill", "night market", "book swap", "pottery kiln", "chess evening"),
    *("climbing wall", "music room", "tool library", "orchard plot", "film club", "ferry ticket office", "tea house"),
    *("print studio", "youth hostel", "beekeepers' yard", "swimming lake", "repair café", "puppet theatre"),
    *("mountain hut", "canal boat", "weaving loft", "radio station", "science fair", "greenhouse", "bus shelter"),
    *("sports ground", "language course", "knitting circle", "soup kitchen", "toy museum", "skate park"),
    *("fish smokery", "seed bank", "carpentry class", "river sauna", "astronomy group", "dance festival"),
    *("lighthouse tour", "card archive", "wine cellar", "model railway", "folk orchestra", "glass foundry"),
    *("city farm", "cheese dairy", "poetry slam", "wood oven", "stamp exchange", "sailing course", "map shop", "lido"),
)

# question, the claim, and who says otherwise, in other words; every second time without the name of the thing
DISPUTES = (
    (
        "What rent do we pay for the {thing}?",
        "The rent for the {thing} is {a} euros a week, heating included.",
        "I have the contract in front of me: they take {b} from us every seven days, and warmth costs extra.",
    ),
    (
        "How many people fit into the {thing}?",
        "The {thing} holds {a} people if we move the tables.",
        "The fire officer walked through the {thing} and wrote {b} on the form, not a soul more.",
    ),
    (
        "When was the {thing} founded?",
        "The {thing} has been going for {a} years, my uncle was there on the first day.",
        "According to the parish register it all began {b} years ago, your uncle exaggerates.",
    ),
    (
        "Who has the key to the {thing}?",
        "The key of the {thing} hangs in locker {a}.",
        "I stood before the {thing} this morning without one; Mrs Sorensen keeps it under flower pot {b}.",
    ),
    (
        "How long does it take to get to the {thing}?",
        "You need {a} minutes to the {thing} on foot.",
        "I timed it with the stroller and the hill, it was {b} from door to door.",
    ),
    (
        "How much does the insurance of the {thing} cost?",
        "The insurance of the {thing} is {a} euros a month.",
        "The broker rang about the {thing}: since the flood they charge {b}, payable in advance.",
    ),
)

# question, a claim with two rival values, and the evidence for the first, sometimes without the name of the thing
CLAIMS = (
    (
        "On which day of the month does the {thing} reopen?",
        "The {thing} reopens on the {a}th, as far as I remember.",
        "Notice on the door of the {thing}, photographed today: open again from the {a}th.",
    ),
    (
        "How many chairs did the {thing} order?",
        "The {thing} ordered {a} chairs from the joiner.",
        "Delivery note from the joiner to the {thing}: {a} pieces, beech, signed for at the gate.",
    ),
    (
        "Who repaired the lamp of the {thing}?",
        "The lamp of the {thing} was repaired by {a}.",
        "The invoice for the electrical work says {a}, two hours and one fuse.",
    ),
    (
        "How many kilometres is the {thing} from the station?",
        "The {thing} is {a} kilometres from the station.",
        "Measured on the ordnance map with a wheel, station to {thing}: {a} along the towpath.",
    ),
    (
        "How many members signed up for the {thing}?",
        "There are {a} members signed up for the {thing} by now.",
        "I counted the slips in the shoe box twice and came to {a}.",
    ),
)

# question, then the steps in their order
PROCEDURES = (
    (
        "How do we winterise the caravan?",
        "Drain the water tank of the caravan on a mild day.",
        "Blow the pipes out with the compressor.",
        "Pour two litres of pink antifreeze into the sink trap.",
        "Put the cushions upright and leave the cupboards ajar.",
    ),
    (
        "How do I bake the club's rye loaf?",
        "For the rye loaf, wake the sourdough the evening before.",
        "Mix in the salt and the cracked grain at seven.",
        "Let it swell in the basket under a damp cloth.",
        "Slide it onto the hot stone and throw in a cup of steam.",
    ),
    (
        "How is the projector in the hall set up?",
        "Roll the projector out and lock its wheels.",
        "Run the long cable behind the radiator.",
        "Wait for the green lamp and press source twice.",
        "Turn the ring until the letters are sharp.",
    ),
    (
        "How do we open a new member's account?",
        "To open a member's account, copy the identity card.",
        "Give the file the next free number.",
        "Have two of the board sign it.",
        "Send the welcome letter with the statutes.",
    ),
    (
        "How do you start the old tractor?",
        "The tractor needs its battery switch turned first.",
        "Pull the choke out by a finger's width.",
        "Hold the glow button while you count to twenty.",
        "Let out the clutch slowly once it purrs.",
    ),
    (
        "How do we report a broken street lamp?",
        "Read the number plate on the broken street lamp.",
        "Fill in the yellow form at the counter.",
        "Ask for a reference code.",
        "Ring after ten days with that code.",
    ),
    (
        "How do I repot the lemon tree?",
        "Water the lemon tree well the day before it is repotted.",
        "Loosen the root ball with a bread knife.",
        "Put shards over the hole.",
        "Press the new earth down with your thumbs and wait in the shade.",
    ),
    (
        "How do we count the votes at the assembly?",
        "Before votes are counted, two tellers are named.",
        "They empty the urn on the green table.",
        "Doubtful papers go on a pile of their own.",
        "The chair reads the result aloud and locks the sheets away.",
    ),
    (
        "How is the kiln fired for glaze?",
        "For a glaze firing, sweep the kiln shelves and whitewash them.",
        "Stack the pieces a finger apart.",
        "Raise it by a hundred degrees an hour until it glows.",
        "Do not open the lid before it is below eighty.",
    ),
    (
        "How do we ship a print order?",
        "A print order is first checked against the proof.",
        "Wrap the sheets in glassine.",
        "Weigh the tube and write the weight on it.",
        "Drop it at the depot before four.",
    ),
    (
        "How do you sharpen the plane blade?",
        "Flatten the back of the plane blade on the coarse stone.",
        "Find the bevel and hold the angle.",
        "Draw it over the fine stone until a burr shows.",
        "Strop it on leather ten times.",
    ),
    (
        "How do we close the pool in autumn?",
        "To close the pool, lower the water beneath the jets.",
        "Scrub the line of grime along the tiles.",
        "Throw in the slow tablets.",
        "Pull the cover tight and hang the bags on it.",
    ),
    (
        "How do I make the fig jam?",
        "For fig jam, quarter the fruit and sugar it overnight.",
        "Add lemon peel and bring it to a rolling boil.",
        "Test a drop on a cold saucer.",
        "Fill the jars to the rim and stand them on their heads.",
    ),
    (
        "How do we onboard a volunteer driver?",
        "A volunteer driver shows the licence at the office.",
        "Then they ride along twice with Gert.",
        "They learn the ramp and the belts.",
        "After that the shift plan has a line for them.",
    ),
    (
        "How is the beehive inspected?",
        "Light the smoker before you inspect the hive.",
        "Lift the outer frame and set it aside.",
        "Look for eggs and for the marked queen.",
        "Write the count on the roof in chalk.",
    ),
    (
        "How do we hang an exhibition?",
        "An exhibition begins with a paper plan of the walls.",
        "Lean everything where it might go and sleep on it.",
        "Drill at one metre fifty-five.",
        "Aim the spots last and dim the hall.",
    ),
    (
        "How do I file the travel expenses?",
        "Collect the receipts of travel expenses in the blue envelope.",
        "Enter each one in the sheet with its date.",
        "Let Ottilie stamp the sum.",
        "The money comes with the next pay slip.",
    ),
    (
        "How do we tune the choir's harmonium?",
        "The harmonium is dusted and its reeds are laid bare first.",
        "Compare the middle A with the fork.",
        "Scrape the tip to raise, the root to lower.",
        "Close the case and play a slow scale.",
    ),
    (
        "How is the ferry crossing booked for a group?",
        "For a group on the ferry, count heads and bicycles.",
        "Ring the quay before noon.",
        "Pay a third to hold the places.",
        "Be at the barrier with the list half an hour early.",
    ),
    (
        "How do you restore the database from tape?",
        "Mount the tape on which the database was saved.",
        "Stop the service and tell the shop.",
        "Copy the dump across and check its sum.",
        "Replay the journal and let them in again.",
    ),
)

PLAIN = (
    "I walked past the {thing} yesterday and there was a cat asleep on the step.",
    "Somebody left a green umbrella at the {thing}.",
    "My sister once had a summer job near the {thing} and still talks about the wasps.",
    "The poster for the {thing} has a spelling mistake in it, again.",
    "We could take visitors to the {thing} if it rains at Easter.",
    "The {thing} smelled of fresh paint last week.",
)
