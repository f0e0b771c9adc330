"""Grounding-DINO, SAM 2 and CLIP with tiny random weights: for shapes and coordinates, not for sense."""

from pathlib import Path


def grounding_dino(folder: Path) -> Path:
    import torch
    import transformers as hf

    words = [f"[unused{number}]" for number in range(1100)]
    # Grounding-DINO knows these tokens by their numbers in BERT's vocabulary.
    for number, word in {
        0: "[PAD]",
        100: "[UNK]",
        101: "[CLS]",
        102: "[SEP]",
        103: "[MASK]",
        1012: ".",
        1029: "?",
    }.items():
        words[number] = word
    words += ["red", "ball", "dog", "boat"]
    vocabulary = folder / "vocab.txt"
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary.write_text("\n".join(words) + "\n", encoding="utf-8")
    tokenizer = hf.BertTokenizer(vocab=str(vocabulary), do_lower_case=True)
    small = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
    config = hf.GroundingDinoConfig(
        backbone_config=hf.SwinConfig(
            image_size=64, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2], window_size=4,
            out_features=["stage2", "stage3", "stage4"],
        ),
        text_config=hf.BertConfig(
            vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
        ),
        d_model=32, encoder_layers=1, decoder_layers=2, num_queries=12, fusion_dropout=0.0, **small,
    )  # fmt: skip
    torch.manual_seed(0)
    hf.GroundingDinoForObjectDetection(config).save_pretrained(folder)
    sizes = {"shortest_edge": 64, "longest_edge": 128}
    hf.GroundingDinoProcessor(hf.GroundingDinoImageProcessor(size=sizes), tokenizer).save_pretrained(folder)
    return folder


def sam2(folder: Path) -> Path:
    import torch
    import transformers as hf

    backbone = hf.Sam2HieraDetConfig(
        hidden_size=8, num_attention_heads=1, image_size=[128, 128], blocks_per_stage=[1, 1, 2, 1],
        embed_dim_per_stage=[8, 16, 32, 64], num_attention_heads_per_stage=[1, 1, 2, 2],
        window_size_per_stage=[8, 4, 4, 2], global_attention_blocks=[3],
        window_positional_embedding_background_size=[4, 4],
    )  # fmt: skip
    vision = hf.Sam2VisionConfig(
        backbone_config=backbone, backbone_channel_list=[64, 32, 16, 8],
        backbone_feature_sizes=[[32, 32], [16, 16], [8, 8]], fpn_hidden_size=32,
    )  # fmt: skip
    config = hf.Sam2Config(
        vision_config=vision,
        prompt_encoder_config=hf.Sam2PromptEncoderConfig(
            hidden_size=32, image_size=128, patch_size=16, mask_input_channels=4
        ),
        mask_decoder_config=hf.Sam2MaskDecoderConfig(
            hidden_size=32,
            mlp_dim=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            iou_head_hidden_dim=32,
            iou_head_depth=2,
        ),
    )
    torch.manual_seed(0)
    hf.Sam2Model(config).save_pretrained(folder)
    sides = {"height": 128, "width": 128}
    hf.Sam2Processor(hf.Sam2ImageProcessor(size=sides, mask_size={"height": 32, "width": 32})).save_pretrained(folder)
    return folder


def clip(folder: Path) -> Path:
    import torch
    import transformers as hf

    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = hf.CLIPConfig(
        vision_config={**sizes, "image_size": 32, "patch_size": 8},
        text_config={**sizes, "vocab_size": 50, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1},
        projection_dim=16,
    )
    torch.manual_seed(0)
    hf.CLIPModel(config).save_pretrained(folder)
    hf.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder
