"""The recipe of Engramma's own encoder: corpus, distillation, fine-tuning, evaluation and export."""
