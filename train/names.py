"""First names: those of one word piece each, so that a name can be put into token ids already made.

Left out are words of other meanings (Hope, Grant, Georgia) and the names of the conversations that validate.
"""

from __future__ import annotations

from .wordlists import word_list

FEMALE = word_list(
    """
    Emma Olivia Sophia Isabella Mia Charlotte Amelia Evelyn Abigail Emily Elizabeth Sofia Ella Scarlett Chloe
    Penelope Layla Lillian Nora Hannah Lily Eleanor Claire Lucy Anna Samantha Naomi Elena Sarah Alice Eva Sadie
    Lydia Alexa Josephine Julia Vivian Sophie Katherine Margaret Rachel Rebecca Jessica Ashley Amanda Stephanie
    Nicole Melissa Jennifer Amy Angela Michelle Kimberly Lisa Karen Nancy Betty Helen Sandra Donna Carol Ruth
    Sharon Laura Cynthia Kathleen Shirley Deborah Dorothy Linda Barbara Susan Patricia Mary Diana Teresa
    Christina Christine Monica Wendy Tiffany Erin Kelly Megan Molly Jenna Tara Tracy Vanessa Veronica Valerie
    Vera Rita Paula Pamela Olga Nina Natalie Natasha Nadia Miriam Mabel Lauren Leah Lena Kate Katie Julie Judy
    Judith Joyce Joan Jill Jane Janet Jean Irene Ingrid Heidi Hilda Gloria Fiona Esther Ellen Edith Cora Connie
    Clara Celia Cecilia Catherine Carmen Bridget Beth Beatrice Audrey Anne Annie Andrea Alison Agnes Ada Abby
    Maya Yuki Mei Fatima Lucia Marta Maggie Sally Sylvia Stella Tina Ursula Yvonne Zoe Martha Marie Rosie Renee
    Phoebe Peggy Nell Myra Mona Lola Lorraine Lana Kira Eve Dora Daphne Cindy Carrie Carla Bonnie Becky Anita
    Angie
    """
)
MALE = word_list(
    """
    Liam Noah Oliver Elijah William Benjamin Lucas Henry Alexander Michael Ethan Daniel Jacob Levi Sebastian
    Owen Theodore Samuel Joseph David Wyatt Matthew Luke Julian Leo Gabriel Isaac Anthony Dylan Thomas Charles
    Christopher Joshua Andrew Caleb Ryan Nathan Adrian Eli Nolan Aaron Cameron Ezra Luca Jonathan Jeremiah
    Connor Robert Richard Paul Donald George Kenneth Steven Edward Brian Ronald Kevin Jason Jeffrey Gary
    Nicholas Eric Stephen Larry Justin Scott Brandon Frank Gregory Raymond Patrick Jerry Tyler Jose Nathaniel
    Peter Zachary Walter Kyle Harold Carl Jeremy Keith Roger Gerald Arthur Lawrence Sean Albert Joe Bryan Bruce
    Ralph Roy Eugene Louis Philip Johnny Bobby Howard Stanley Victor Martin Ernest Craig Alan Shawn Clarence
    Travis Chris Danny Tony Luis Mike Antonio Jimmy Carlos Russell Randy Rodney Vincent Bradley Curtis Norman
    Allen Marvin Glenn Jesse Derek Wayne Ian Neil Hugo Oscar Felix Simon Theo Toby Ted Tom Sam Steve Stuart
    Terry Todd Troy Vernon Warren Wesley Omar Ahmed Hassan Ravi Raj Ivan Boris Dmitri Sergei Pavel Pierre
    Jacques Marcel Antoine Hans Klaus Stefan Sven Lars Erik Nils Magnus Jorge Pedro Pablo Diego Miguel Rafael
    Fernando Enzo Marco Mario Giovanni Paolo Andre Bernard Clive Colin Darren Duncan Edgar Edwin Floyd Fred
    Graham Harvey Joel Kurt Leon Leonard Lloyd Malcolm Maurice Mitchell Morris Ned Neal Nick Otto Perry Ross
    Rupert Seth Sidney Spencer Trevor Calvin Dave Evan Nate
    """
)
