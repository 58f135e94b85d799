import type { PictureSize } from './picture-size.ts';

/** What pictures and pages are to a family of models, in tokens, by the rule that its maker publishes. */
export interface MediaRule {
  readonly models: RegExp;
  readonly wire?: string;
  picture(size: PictureSize): number;
  /** A page of a document, besides its text. */
  readonly page: number;
}

/** Vision and file pages of the makers; where none is published, patches of 28 pixels as in most open models. */
const rules: readonly MediaRule[] = [
  { models: /gpt-(?:4\.1|5)-nano/, picture: patches(2.46), page: 0 },
  {
    models: /gpt-(?:4\.1|5(?:\.\d)?)-mini|gpt-5\.[2-9]/,
    wire: 'openai-chat',
    picture: patches(1.62),
    page: 210,
  },
  { models: /gpt-(?:4\.1|5(?:\.\d)?)-mini|gpt-5\.[2-9]/, picture: patches(1.62), page: 0 },
  { models: /o4-mini/, picture: patches(1.72), page: 0 },
  { models: /4o-mini/, picture: tiles(2833, 5667), page: 0 },
  { models: /gpt-[5-9]/, picture: tiles(70, 140), page: 0 },
  { models: /(?:^|\/)o\d/, picture: tiles(75, 150), page: 0 },
  { models: /gpt|codex/, wire: 'openai-chat', picture: tiles(85, 170), page: 210 },
  { models: /gpt|codex/, picture: tiles(85, 170), page: 0 },
  { models: /claude/, picture: pixels(750, 1568, 1600), page: 1500 },
  { models: /gemini/, picture: crops(384, 768, 258), page: 258 },
  { models: /grok/, picture: (size) => 256 * Math.min(7, 1 + countOf(size, 448)), page: 0 },
];

const others: MediaRule = { models: /^/, picture: (size) => countOf(within(size, 1540), 28), page: 0 };

export function mediaRuleFor(model: string, wire: string | undefined): MediaRule {
  const name = model.toLowerCase();
  const fits = (rule: MediaRule) => rule.models.test(name) && (rule.wire === undefined || rule.wire === wire);
  return rules.find(fits) ?? others;
}

/** Brought to at most 2,048 pixels, the shorter side to 768, and cut into squares of 512. */
function tiles(base: number, tile: number): MediaRule['picture'] {
  return (size) => {
    const fitting = within(size, 2048);
    const short = Math.min(fitting.width, fitting.height);
    return base + tile * countOf(scaled(fitting, Math.min(1, 768 / short)), 512);
  };
}

/** Squares of 32 pixels, at most 1,536 of them. */
function patches(scale: number): MediaRule['picture'] {
  return (size) => Math.min(1536, countOf(size, 32)) * scale;
}

function pixels(each: number, sideMax: number, tokensMax: number): MediaRule['picture'] {
  return (size) => {
    const { width, height } = within(size, sideMax);
    return Math.min(tokensMax, (width * height) / each);
  };
}

/** One piece where it is small, else one for each square. */
function crops(small: number, side: number, tokens: number): MediaRule['picture'] {
  return (size) =>
    Math.max(size.width, size.height) <= small ? tokens : tokens * Math.max(1, countOf(size, side));
}

function countOf({ width, height }: PictureSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side);
}

function within(size: PictureSize, sideMax: number): PictureSize {
  return scaled(size, Math.min(1, sideMax / Math.max(size.width, size.height)));
}

function scaled({ width, height }: PictureSize, by: number): PictureSize {
  return { width: width * by, height: height * by };
}
