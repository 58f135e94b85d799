import type { PictureSize } from './picture-size.ts';

/** Tokens of pictures and pages for a family of models, by its maker's published rule. */
export interface MediaRule {
  readonly models: RegExp;
  readonly wire?: string;
  picture(size: PictureSize): number;
  /** Tokens of a document page besides its text. */
  readonly page: number;
}

/** Vision and file pages of the makers; the default is patches of 28 pixels, as in most open models. */
const rules: readonly MediaRule[] = [
  { models: /gpt-(?:4\.1|5)-nano/, picture: patchTokens(2.46), page: 0 },
  {
    models: /gpt-(?:4\.1|5(?:\.\d)?)-mini|gpt-5\.[2-9]/,
    wire: 'openai-chat',
    picture: patchTokens(1.62),
    page: 210,
  },
  { models: /gpt-(?:4\.1|5(?:\.\d)?)-mini|gpt-5\.[2-9]/, picture: patchTokens(1.62), page: 0 },
  { models: /o4-mini/, picture: patchTokens(1.72), page: 0 },
  { models: /4o-mini/, picture: tileTokens(2833, 5667), page: 0 },
  { models: /gpt-[5-9]/, picture: tileTokens(70, 140), page: 0 },
  { models: /(?:^|\/)o\d/, picture: tileTokens(75, 150), page: 0 },
  { models: /gpt|codex/, wire: 'openai-chat', picture: tileTokens(85, 170), page: 210 },
  { models: /gpt|codex/, picture: tileTokens(85, 170), page: 0 },
  { models: /claude/, picture: pixelTokens(750, 1568, 1600), page: 1500 },
  { models: /gemini/, picture: cropTokens(384, 768, 258), page: 258 },
  { models: /grok/, picture: (size) => 256 * Math.min(7, 1 + countSquares(size, 448)), page: 0 },
];

const defaultRule: MediaRule = {
  models: /^/,
  picture: (size) => countSquares(fitWithin(size, 1540), 28),
  page: 0,
};

export function mediaRuleFor(model: string, wire: string | undefined): MediaRule {
  const name = model.toLowerCase();
  const fits = (rule: MediaRule) => rule.models.test(name) && (rule.wire === undefined || rule.wire === wire);
  return rules.find(fits) ?? defaultRule;
}

/** Scaled to at most 2,048 pixels and the shorter side to 768, then cut into tiles of 512. */
function tileTokens(base: number, tile: number): MediaRule['picture'] {
  return (size) => {
    const fitting = fitWithin(size, 2048);
    const short = Math.min(fitting.width, fitting.height);
    return base + tile * countSquares(scaleSize(fitting, Math.min(1, 768 / short)), 512);
  };
}

/** Patches of 32 pixels, at most 1,536. */
function patchTokens(scale: number): MediaRule['picture'] {
  return (size) => Math.min(1536, countSquares(size, 32)) * scale;
}

function pixelTokens(each: number, sideMax: number, tokensMax: number): MediaRule['picture'] {
  return (size) => {
    const { width, height } = fitWithin(size, sideMax);
    return Math.min(tokensMax, (width * height) / each);
  };
}

/** One tile if the picture is small, else one per square. */
function cropTokens(small: number, side: number, tokens: number): MediaRule['picture'] {
  return (size) =>
    Math.max(size.width, size.height) <= small ? tokens : tokens * Math.max(1, countSquares(size, side));
}

function countSquares({ width, height }: PictureSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side);
}

function fitWithin(size: PictureSize, sideMax: number): PictureSize {
  return scaleSize(size, Math.min(1, sideMax / Math.max(size.width, size.height)));
}

function scaleSize({ width, height }: PictureSize, by: number): PictureSize {
  return { width: width * by, height: height * by };
}
