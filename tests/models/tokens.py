"""Tiny tokenizers of the kinds that XLM-RoBERTa and ModernBERT have, written by hand: training them varies."""

from __future__ import annotations

from pathlib import Path

TALK = (
    "the cat sits on the mat",
    "die Katze sitzt auf der Matte",
    "le chat est assis",
    "кошка сидит на коврике",
    "猫が座っている",
    "a dog runs to the market today",
)


def save_unigram(path: Path) -> None:
    """SentencePiece's kind, as XLM-RoBERTa has it: <s> 0, <pad> 1, </s> 2, <unk> 3, spaces as ▁."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = sorted({f"▁{word}" for line in TALK for word in line.split()})
    letters = ["▁", *sorted({letter for line in TALK for letter in line} - {" "})]
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    pieces += [(word, -4.0) for word in words] + [(letter, -6.0) for letter in letters]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    ends = [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", "<s> $A </s> </s> $B </s>", ends)
    # As files are published: with a padding and a truncation that are not ours.
    tokenizer.enable_padding(pad_id=1, pad_token="<pad>", length=64)
    tokenizer.enable_truncation(64)
    tokenizer.save(str(path))


def save_byte_pairs(path: Path) -> None:
    """GPT-2's kind, as ModernBERT has it: bytes for letters, so that nothing is unknown; [CLS] 0, [PAD] 1, [SEP] 2."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    merges = [("t", "h"), ("th", "e"), ("i", "t"), ("s", "it"), ("K", "a"), ("a", "t"), ("Ġ", "the")]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["[CLS]", "[PAD]", "[SEP]", *letters, *(left + right for left, right in merges)]
    tokenizer = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, merges))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(["[CLS]", "[PAD]", "[SEP]"])
    ends = [("[CLS]", 0), ("[SEP]", 2)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]", ends)
    tokenizer.enable_padding(pad_id=1, pad_token="[PAD]", length=64)
    tokenizer.save(str(path))
