"""What the names that people give to parameters usually stand for, with values that fit together.

Every width is a multiple of the number of heads, every size a multiple of the patches, so that a
model made of these values fits into itself.
"""

from __future__ import annotations

import re

# The first pattern that matches the whole name decides. Values are Python text; the first is the
# likeliest. ``{image}`` and the like are replaced by the variant (see VARIANTS).
_TABLE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(in|input|img|image|num|n)_?(ch|chan|chans|channel|channels|chns?)|nc|c_in|cin|in_c|in_dims?"
     r"_channels|channels_in|ch_in|n_channels|num_channels|color_channels", ("{channels}",)),
    (r"(in|inp|input)_?(planes|filters)|inplanes|in_nc|inc", ("{inner}",)),
    (r"channels?|chans?|ch|c|planes|filters|num_filters|n_filters|width|base_channels?|base|base_c|"
     r"base_width|init_features|start_filters|nf|ngf|ndf|nef|dim_base|stem_width|growth_rate|growth"
     r"|model_channels|base_ch|base_dim|init_dim", ("{width}",)),
    (r"(out|output)_?(ch|chan|chans|channel|channels|c|planes|filters)|outplanes|c_out|cout|"
     r"channels_out|ch_out|out_nc|outc", ("{out}",)),
    (r"(n|num|number_of|nb|total)?_?(class|classes|cls|labels|categories|targets|outputs|tags|"
     r"intents|out_classes|tagset_size)|nclass|ncls|classes|tagset_size|n_out|num_outputs|nout",
     ("10",)),
    (r"(image|img|input|in)_?(size|res|resolution|height|width|h|w|hw)|resolution|spatial_size|"
     r"height|width_px|h|w|imsize|isize|crop_size", ("{image}",)),
    (r"(patch|patches)(_size|_h|_w|_height|_width|_dim|_len|_length)?|p_size|psize", ("{patch}",)),
    (r"(image|img|audio|spec|frame|tubelet|t)_patch_size", ("{patch}",)),
    (r"frame_patch_size|tubelet_size", ("2",)),
    (r"(window|win|ws)(_size)?", ("{window}",)),
    (r"kernel_?(size)?s?|k|ks|k_size|ksize|filter_size", ("3",)),
    (r"(stride|strides|dilation|padding|pad|groups|cardinality|expansion|expand|scale|scale_factor|"
     r"upscale|upscale_factor|upscaling_factor|s|r|ratio|multiplier|width_mult|mult|"
     r"width_multiplier|num_stacks?|"
     r"depth_multiple|width_multiple|alpha|beta|gamma|dim_mult)", ("1", "2")),
    (r".*(drop|dropout|drop_rate|drop_path|dropout_rate|dropout_prob|p_drop)(_?(rate|prob|p))?|p|"
     r"pdrop|.*pdrop", ("0.1",)),
    (r"eps|epsilon|.*_eps", ("1e-5",)),
    (r"momentum|temperature|temp|tau|.*_momentum|decay|ema_decay|sigma|std|init_std|"
     r"initializer_range|.*_scale|layer_scale.*", ("0.1",)),
    (r"(n|num|nb|number_of)?_?(attn_|attention_|q_|query_|self_)?heads?|nhead|nheads|n_head|"
     r"num_attention_heads|head_count|h", ("4",)),
    (r"(n|num)_?(kv|key_value)_?heads?", ("2",)),
    (r"(dim_heads?|heads?_dim|heads?_size|d_heads?|d_k|d_v|d_q|dim_key|dim_value|dim_qk|qk_dim|"
     r"head_width|key_dim|value_dim|attn_dim|attention_dim|proj_dim|projection_dim|joint_dim|"
     r"shared_dim|bottleneck|bottleneck_dim|rank|kernel_dim|dim_conv_kernel)", ("16",)),
    (r"(mlp|ff|ffn|feed_?forward|intermediate|inner|expert|fc)_?(dim|size|hidden|width|features|"
     r"hidden_dim|hid_dim|channels)s?|d_?(ff|ffn|mlp|inner|hid|hidden)|dim_?(feedforward|mlp|ff)|"
     r"n_inner|hidden_features|d_inner|nhid|mlp_hidden.*", ("128",)),
    (r"(mlp|ff|ffn|expansion|expand|hidden)_?(ratio|mult|factor|expansion|rate)|mlp_mult|"
     r"expansion_ratio", ("2",)),
    (r"(n|num|nb|number_of)?_?(layers?|blocks?|depths?|stages?|levels?|encoders?|decoders?|stacks?|"
     r"enc_layers?|dec_layers?|encoder_layers?|decoder_layers?|hidden_layers?|res_?blocks?|"
     r"residual_blocks?|residual_layers?|downs?|ups?|flows?|steps_per_level|convs?|scales?|hops?|"
     r"cells?|enc_blocks?|dec_blocks?|transformer_layers?|iters?|iterations?)|n_?layers?|nlayers?|"
     r".*_depth|num_.*_(layers|blocks)|n_.*_(layers|blocks)|layer_num|block_num|.*_layers|l|"
     r"recursion_depth", ("2",)),
    (r"(n|num|nb)?_?(experts?|expert_num)|.*num_experts", ("4",)),
    (r"(top_?k|k_top|experts_per_token|num_selected|num_experts_per_tok)", ("2",)),
    (r"(src|source|tgt|target|trg|input|output|enc|dec|in|out|text|en|de|encoder|decoder)?_?"
     r"(vocab|vocabulary|vocab_size|vocabulary_size|dict_size|dictionary_size|num_tokens|"
     r"ntokens?|n_tokens?|n_vocab|nvocab|num_words|n_words|num_chars|n_chars|charset_size|"
     r"num_embeddings|codebook_size|num_codes|n_embeddings|num_embed|token_num|ntoken)|ntoken|"
     r"num_.*_embeddings|n_embed|vocab_len|voc_size", ("1000",)),
    (r"(n|num|nb)_?(users?|items?|movies?|entities|relations?|products?|fields?|categories|"
     r"features_cat|rel|edge_types|node_types)|(user|item|movie)s?_(count|num|size)|"
     r"type_vocab_size|num_segments|n_segments|num_rels", ("100",)),
    (r"(max|maximum|n|num|block|seq|sequence|context|ctx|text|src|tgt|input|source|target|pred|"
     r"forecast|output|label|lookback)?_?(seq|sequence|context|ctx|position|positions|text|block|"
     r"source|target|src|tgt|sentence|position_embeddings)?_?(len|length|size_ctx|positions|"
     r"position_embeddings|ctx|n_ctx)|block_size|context_size|context_window|horizon|window_len|"
     r"max_positions?|max_len|max_t|seq_size|num_positions|maxlen|n_positions|n_ctx|time_steps|"
     r"num_timesteps_input|lookback|history", ("{length}",)),
    (r"(n|num)?_?(frames?|segments?|clips?|slots?|queries|prototypes?|components?|clusters?|"
     r"landmarks?|latents?|registers?|anchors?|mixtures?|gaussians?|codebooks?|groups?|num_slots|"
     r"memory_size|bins?|boxes|keypoints|joints|regions|views|modalities|agents|nodes|vertices|"
     r"num_points|points|num_vertices|basis|kernels|bits|n_fft|mels|mel_bins|n_mels)|grid_size|"
     r"grid|nodes|spline_order|num_knots|n_mels", ("8",)),
    (r"(num|n|total|diffusion|max)?_?(timesteps?|steps|diffusion_steps|noise_steps|train_timesteps)"
     r"|T", ("100",)),
    (r"(sample_rate|sampling_rate|sr|fs)", ("16000",)),
    (r"(z|latent|noise|code|style|w|bottleneck|lat|embed_z)_?(dims?|size|channels?|features|len|"
     r"vector_size)?|nz|n_latents?|latent|dim_z|dim_latent|n_z|zdim", ("32",)),
    (r"(state|obs|observation|s|env)_?(dims?|size|shape|space_dim)|n_obs|n_states|num_states|"
     r"num_inputs|n_observations", ("8",)),
    (r"(action|act|a)_?(dims?|size|space_dim|num)|n_actions?|num_actions?|nb_actions?|n_act",
     ("4",)),
    (r"(in|input|inp|x|feature|features|feat|node|edge|atom|bond|point|num|n|nb|raw|data|source|"
     r"seq|visual|vision|image|img|text|audio|video|video_feature|txt|tabular|numeric|continuous|"
     r"dense|cont|query|key|value|c|word|token)_?(feats?|features?|feature_dim|feat_dim|dims?|"
     r"size|units|nodes|vars?|variables|columns|numeric|continuous|cont|dense|attrs|width|"
     r"features_in|inputs)|nfeat|d_in|dim_in|n_inputs?|num_inputs?|input|in_feats|input_features|"
     r"inp|idim|n_series|enc_in|dec_in|num_numerical.*|num_features", ("{features}",)),
    (r"(cond|condition|context|ctx|cross|cross_attention|memory|conditioning)_?(dims?|size|"
     r"channels|features)|dim_context|d_cond|text_embed_dim", ("{features}",)),
    (r"(out|output|target|y|final|label|pred|outp)_?(feats?|features?|dims?|size|units|nodes|width|"
     r"vars)|d_out|dim_out|n_outputs?|num_outputs?|out_feats|odim|c_out|noutput", ("{target}",)),
    (r"(dims?|d|model|hidden|hid|embed|embedding|emb|feature|inner|attn|attention|transformer|rnn|"
     r"lstm|gru|enc|dec|encoder|decoder|time|time_emb|pos|position|token|word|node|units|channel|"
     r"lm|backbone|trunk|char|user|item|entity|text|vision|latent_hidden|head|label|"
     r"t|temporal|spatial|conv|fusion|state_hidden|res|residual|skip|code|class)?_?(dims?|d|"
     r"model|hidden|hid|embed|embedding|emb|size|units|width|model_dim|embd|channels|state|h|"
     r"hidden_dim|hidden_size|hidden_channels|embed_dim|embedding_dim|emb_dim|emb_size|embedding_"
     r"size|filters|planes|features|nodes|hiddens|neurons)|d_model|n_embd|n_hidden|num_hiddens?|"
     r"nhidden|n_units|hsize|ninp|nhid|dmodel|size|n_state|d_state|num_hidden|layer_size|adim|"
     r"n_audio_state|n_text_state", ("{dim}",)),
    (r"(activation|act|nonlinearity|act_layer|act_fn|activation_fn|non_linearity|act_func|"
     r"activation_layer|activ|act_type|hidden_act)", ("nn.ReLU", "nn.ReLU()", "'relu'")),
    (r"(norm|norm_layer|normalization|norm_fn|norm_type|normalization_layer)",
     ("nn.BatchNorm2d", "nn.LayerNorm", "'batch'")),
    (r"(conv|conv_layer|conv_cls)", ("nn.Conv2d",)),
    (r"(device|dev)", ("'cpu'",)),
    (r"(dtype)", ("torch.float32",)),
    (r"(pad|padding|pad_token|mask|mask_token|sep|cls|bos|eos|start|unk)_?(idx|index|id|token|"
     r"token_id)|(src|tgt|trg)_(pad_idx|pad|pad_index|mask_idx)|ignore_index", ("0",)),
    (r"(rnn|cell|unit|model|rnn_cell)_type|rnn|cell", ("'LSTM'", "'GRU'")),
    (r"(use|with|is|has|enable|add|do|no|return|share|tie|learn)_.*|bias|.*_bias|causal|"
     r"bidirectional|pretrained|residual|batch_?norm|bn|bilinear|affine|normalize|verbose|"
     r"training|freeze.*|debug|flash|shortcut|downsample|tied|weight_tying|qkv_bias|"
     r"deep_supervision|stochastic|inplace|batch_first|multilabel|last|first", ("False",)),
    (r"pool|pooling|reduction|aggr|aggregation|pool_type", ("'mean'",)),
    (r"(name|mode|type|variant|version|arch|backbone_name|model_name)", ("'base'",)),
    (r"seed", ("0",)),
)  # fmt: skip
_KNOWN = [(re.compile(rf"(?:{pattern})\Z"), values) for pattern, values in _TABLE]

# Parameters that are lists when they are given in the plural, with what one of them is.
_LISTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"layers|depths|blocks|num_blocks|n_blocks|num_layers|stages|stage_depths|layer_list|"
     r"repeats|num_repeats|block_counts|layers_per_stage|num_res_blocks",
     ("[1, 1, 1, 1]", "[2, 2]")),
    (r".*heads.*|nheads", ("[2, 4, 4, 4]", "[4, 4]")),
    (r".*mults?.*|.*multipl.*|ch_mult", ("[1, 2]", "[1, 2, 4]")),
    (r".*kernel.*|.*filter_sizes.*|.*windows?_sizes?|kernels", ("[3, 3, 3]", "[3, 3]")),
    (r".*strides?|.*ratios?|.*rates?|upsample.*|downsample.*|scales|factors|dilations",
     ("[2, 2, 2]", "[1, 1]")),
    (r".*(cardinalities|vocab_sizes|num_embeddings|category_sizes|field_dims|cat_dims|"
     r"categories|field_sizes|vocab.*|num_categories|n_categories|bins)", ("[10, 20, 30]",)),
    (r"(input|in|img|image|obs|state|observation)_(shape|dims)|shape|input_size|input_resolution|"
     r"image_size|img_size", ("(3, 64, 64)", "(64, 64)")),
    (r".*(layer_sizes|layers|units|sizes|structure|architecture|arch)|hidden.*|dims|widths|mlp",
     ("[64, 64]", "[64, 64, 10]")),
    (r".*(channels|planes|filters|features|dims|widths|sizes).*", ("[16, 32, 64]", "[64, 64]",
                                                                    "[16, 32, 64, 128]")),
)  # fmt: skip
_KNOWN_LISTS = [(re.compile(rf"(?:{pattern})\Z"), values) for pattern, values in _LISTS]

VARIANTS: tuple[dict[str, str], ...] = (
    {"channels": "3", "inner": "64", "width": "64", "out": "64", "image": "64", "patch": "8",
     "window": "8", "length": "64", "features": "32", "target": "10", "dim": "64"},
    # One width everywhere: blocks that add their input to their output.
    {"channels": "64", "inner": "64", "width": "64", "out": "64", "image": "32", "patch": "4",
     "window": "4", "length": "32", "features": "64", "target": "64", "dim": "64"},
    # The sizes of ImageNet models.
    {"channels": "3", "inner": "64", "width": "96", "out": "3", "image": "224", "patch": "16",
     "window": "7", "length": "128", "features": "64", "target": "10", "dim": "192"},
    {"channels": "1", "inner": "16", "width": "32", "out": "1", "image": "28", "patch": "4",
     "window": "7", "length": "16", "features": "16", "target": "1", "dim": "128"},
)  # fmt: skip
"""Values that belong together. The first is tried first."""


def values_for(name: str, variant: int) -> tuple[str, ...]:
    """Values that a parameter of that name may have, likeliest first; empty if it says nothing."""
    plain = name.strip("_")
    for pattern, values in _KNOWN:
        if pattern.match(plain) or pattern.match(plain.lower()):
            return tuple(value.format(**VARIANTS[variant]) for value in values)
    return ()


def lists_for(name: str) -> tuple[str, ...]:
    """Lists that a parameter of that name may be; one of widths if the name says nothing."""
    plain = name.strip("_").lower()
    for pattern, values in _KNOWN_LISTS:
        if pattern.match(plain):
            return values
    return ("[32, 64]", "[64, 64]")
