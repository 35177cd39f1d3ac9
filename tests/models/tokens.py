"""Tiny tokenizers of the kinds that XLM-RoBERTa and ModernBERT have."""

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
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(TALK, trainer)
    ends = [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", "<s> $A </s> </s> $B </s>", ends)
    # As files are published: with a padding and a truncation that are not ours.
    tokenizer.enable_padding(pad_id=1, pad_token="<pad>", length=64)
    tokenizer.enable_truncation(64)
    tokenizer.save(str(path))


def save_byte_pairs(path: Path) -> None:
    """GPT-2's kind, as ModernBERT has it: bytes for letters, so that nothing is unknown; [CLS] 0, [PAD] 1, [SEP] 2."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["[CLS]", "[PAD]", "[SEP]"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TALK, trainer)
    ends = [("[CLS]", 0), ("[SEP]", 2)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]", ends)
    tokenizer.enable_padding(pad_id=1, pad_token="[PAD]", length=64)
    tokenizer.save(str(path))
