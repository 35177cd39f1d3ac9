"""What is to be done always, told from what merely has such a word."""

from __future__ import annotations

import pytest

from engramma.language.standing import is_standing_instruction


@pytest.mark.parametrize(
    "message",
    [
        "Always give temperatures in Celsius when I ask about baking.",
        "Please never send me links to videos.",
        "From now on, answer in French.",
        "Also, whenever I ask about trains, tell me the platform first.",
        "Could you always add the price in euros?",
        "ok, going forward use short sentences",
        "Don’t ever book a window seat for me.",
        "Every time I plan a trip, remind me of my passport.",
        "Always embed the source.",
        "Never feed the model real names.",
        "Can you please always answer in Dutch?",
        "Could you please never use emoji?",
    ],
)
def test_standing_instructions(message):
    assert is_standing_instruction(message)


@pytest.mark.parametrize(
    "message",
    [
        "Never mind, I found it.",
        "Always been a fan of that band.",
        "I always forget my keys.",
        "My sister never calls from now on.",
        "What should I always pack?",
        "Nevertheless, let us go.",
        "Never again!",
        "Never, ever again am I flying with them!",
        "Always wondered why cats purr.",
        "Never tried sushi before, what should I order?",
        "Never seen that error. What is it?",
        "Never got the parcel.",
        "Always happy to help!",
        "Always late, that is me.",
        "Never going back to that dentist.",
        "",
    ],
)
def test_other_messages(message):
    assert not is_standing_instruction(message)


@pytest.mark.parametrize(
    "message",
    [
        "Use metric units from now on.",
        "Hi! From now on, answer in short sentences.",
        "I want you to always cite sources.",
        "- Always round prices to whole euros.",
        "Please remember to always greet me by my first name.",
        "Going forward, keep every summary under five lines.",
        "Hello there, always mention the opening hours of museums.",
        "Thanks! From now on, put the total at the end.",
        "* Never propose flights before nine.",
        "2. Whenever I send a photo, describe it first.",
        "I’d like you to never bring up my ex.",
        "I would prefer that you always spell out abbreviations.",
        "You should always check the weather before suggesting a walk.",
        "You must never share my address.",
        "Make sure you always name the author of a poem.",
        "Be sure to always ask me for the date first.",
        "Address me as Doctor from here on out.",
        "Write dates with the month first going forward.",
        "Remind me to stretch whenever I say that I am at my desk.",
        "Ask about my knee each time I bring up running.",
        "When I ask about wine, always suggest one without alcohol.",
        "If I mention my mother, never make jokes.",
        "For recipes, always give the amounts in grams.",
        "In future, please reply with bullet points.",
        "In the future, don't use tables.",
        "From now on I want you to speak Spanish with me.",
        "From now on you are my chess coach.",
        "From now on, no exclamation marks.",
        "From now on, only vegetarian dishes please.",
        "Whenever I'm asking about code please use type hints.",
        "Would you always start with the conclusion?",
        "Can you call me Captain from now on?",
        "House rules:\n- Always explain the first step twice.",
        "**Always** close with a question.",
        "Each time we talk about money, state the currency.",
        "Any time I mention a book, give me the year it came out.",
        "Please don't ever correct my spelling.",
        "Just so you know: never recommend seafood to me.",
        "Every time I ask for a film, leave out horror.",
        "Never again suggest a restaurant with loud music.",
        "\u200eAlways use metric units.",  # as chats export it
        "\ufeffNever use emojis.",
        "Remind me of my diet every time I want ice cream.",
        "Never ever use emojis.",
    ],
)
def test_instructions_as_people_word_them(message):
    assert is_standing_instruction(message)


@pytest.mark.parametrize(
    "message",
    [
        "Whenever I eat dairy my stomach hurts",
        "Every time I open the app it crashes",
        "In the future, will AI replace us?",
        "Whenever I run, my knee swells up.",
        "Whenever it rains, cats come into our garage.",
        "Each time we visit, grandma bakes a plum cake.",
        "Every time the phone rings I jump.",
        "In the future, cars will drive themselves.",
        "In future I will bring my own bag.",
        "From now on I am getting up at six.",
        "From now on, my office is on the third floor.",
        "From now on, the shop closes at eight.",
        "Going forward, our team meets on Mondays.",
        "Going forward with the divorce was the right decision.",
        "Always the same story with my landlord.",
        "Never a dull moment in this house!",
        "Always makes me laugh, that film.",
        "Never works on the first try.",
        "Always looking for good podcasts.",
        "Always nice to hear from you!",
        "Never in my life have I been so cold.",
        "Always need a coffee before meetings.",
        "Whenever I bake bread, should I preheat the oven?",
        "Can you explain why my cat always meows at night?",
        "Could you tell me what jobs will look like in the future?",
        "Please explain why the printer jams every time.",
        "Show me how the stock did every time the rate was cut.",
        "Write a function that prints a line every time I press a key.",
        "I want to always be on time.",
        "I want you to know that I always liked that jacket.",
        "You always say that!",
        "You never told me about the concert.",
        "When I was small, I always hid under the stairs.",
        "When my dad cooks, he never uses salt.",
        "If it snows, we never take the car.",
        "Hi! I never got an answer from the bank.",
        "- Always tired in the morning",
        "Is it true that you should never wake a sleepwalker?",
        "Every time I get paid, half of it goes into rent.",
        "Each time I ask, support tells me something else.",
        "In the future I’d love to move to Norway.",
        "Whenever you are ready.",
        "Every time!",
        "From now on?",
        "Always use a semicolon in JavaScript?",
        "Remember when we always went to the lake?",
        "The manual says: always unplug it first.",
        "Hey, whenever works for you is fine.",
        "List every time I went running.",
        "Show me each time I mentioned the garden.",
        "Call me any time you like!",
        "Never ever been there.",
    ],
)
def test_statements_and_questions_with_such_a_word(message):
    assert not is_standing_instruction(message)
