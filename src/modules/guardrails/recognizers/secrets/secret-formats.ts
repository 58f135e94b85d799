import type { SecretKind } from '../../finding.ts';
import {
  alphanumeric,
  base64,
  base64url,
  classOf,
  digit,
  dot,
  endOfRun,
  hex,
  lower,
  upper,
  word,
} from '../characters.ts';
import { byFormat, type PatternFindings } from '../pattern-findings.ts';
import { isPlaceholder } from './placeholders.ts';

/** A secret that begins with a name of its issuer: the characters after it, and how many there are. */
interface SecretFormat {
  readonly prefix: string;
  readonly characters: number;
  readonly least: number;
  readonly most: number;
  readonly kind: SecretKind;
}

const lowerOrDigit = lower | digit;
const upperOrDigit = upper | digit;
const dotted = base64url | dot;

/** `prefix least-most`, by the characters of the rest; from the documentation of the issuers. */
const formats: readonly SecretFormat[] = [
  // Model providers
  ...keys(
    base64url,
    'sk-ant- 20-200 sk-ant-api03- 20-200 sk-ant-admin01- 20-200 sk-ant-oat01- 20-200 sk-proj- 20-250 sk-svcacct- 20-250 sk-admin- 20-250 sk-or- 20-100 xai- 40-120 csk- 30-80',
  ),
  ...keys(
    alphanumeric,
    'sk- 32-80 gsk_ 40-60 fw_ 20-40 pplx- 40-64 r8_ 30-50 hf_ 30-50 api_org_ 30-50 fc- 32-32',
  ),
  ...keys(
    base64url,
    'tgp_v1_ 30-80 pcsk_ 40-100 nvapi- 50-100 tvly- 20-60 jina_ 40-80 pa- 40-60 lsv2_pt_ 40-60 lsv2_sk_ 40-60',
  ),
  ...keys(base64url, 'AIza 35-35 AQ.Ab 30-120 GOCSPX- 24-32 bedrock-api-key- 40-400'),
  ...keys(alphanumeric | base64, 'ABSK 100-300'),
  // Weir
  ...keys(base64url, 'gw_live_ 43-43 weir_live_ 43-43 anon_ 43-43'),
  // Clouds
  ...keys(upperOrDigit, 'AKIA 16-16 ASIA 16-16 ABIA 16-16 ACCA 16-16'),
  ...keys(alphanumeric, 'LTAI 16-24 AKID 32-32'),
  ...keys(hex, 'dop_v1_ 64-64 doo_v1_ 64-64 dor_v1_ 64-64 dapi 32-36'),
  ...keys(base64url, 'HRKU- 36-60 ocid1.credential. 20-100 cfut_ 40-60 cfat_ 40-60 cfk_ 40-60 v1.0- 140-180'),
  ...keys(alphanumeric, 'pul- 40-40 rnd_ 28-40 nfp_ 36-50 vcp_ 24-60 railway_ 30-60 EZAK 54-54 EZTK 54-54'),
  ...keys(
    base64url,
    'hvs. 20-200 hvb. 100-200 hvr. 20-200 dp.pt. 40-50 dp.st. 40-80 fo1_ 40-60 FlyV1- 40-400 fm1a_ 40-400 fm2_ 40-400',
  ),
  // Code, packages and their tools
  ...keys(
    alphanumeric,
    'ghp_ 36-36 gho_ 36-36 ghu_ 36-36 ghs_ 36-36 ghr_ 36-76 npm_ 36-36 oy2 43-43 rubygems_ 48-48',
  ),
  ...keys(word, 'github_pat_ 70-90'),
  ...keys(
    dotted,
    'glpat- 20-60 gldt- 20-60 glrt- 20-60 glptt- 40-40 glcbt- 20-60 glft- 20-60 gloas- 64-64 glsoat- 20-60 glimt- 20-60 glagent- 40-60',
  ),
  ...keys(
    base64url,
    'pypi-AgE 50-250 dckr_pat_ 27-40 dckr_oat_ 27-40 cio 32-32 figd_ 40-60 PMAK- 59-59 sqp_ 40-40 sqa_ 40-40 squ_ 40-40',
  ),
  ...keys(
    base64url | base64,
    'ATATT3 150-250 ATCTT3 150-250 glsa_ 32-60 glc_ 32-200 sntrys_ 60-300 ops_eyJ 200-400',
  ),
  ...keys(
    alphanumeric,
    'ATBB 32-40 sntryu_ 64-64 lin_api_ 32-60 lin_oauth_ 32-80 ntn_ 40-60 NRAK- 27-27 NRII- 32-32 phc_ 30-60 phx_ 30-60',
  ),
  ...keys(lowerOrDigit, 'sbp_ 40-40 pscale_tkn_ 30-60 CCIPAT_ 40-80 tskey-auth- 20-60 tskey-api- 20-60'),
  ...keys(
    base64url,
    'pscale_pw_ 30-60 pscale_oauth_ 30-60 sb_secret_ 20-60 AGE-SECRET-KEY-1 58-58 pat-na1- 36-36 pat-eu1- 36-36',
  ),
  // Payments and shops
  ...keys(
    alphanumeric,
    'sk_live_ 10-250 sk_test_ 10-250 pk_live_ 10-250 pk_test_ 10-250 rk_live_ 10-250 rk_test_ 10-250 whsec_ 24-80',
  ),
  ...keys(hex, 'shpat_ 32-32 shpca_ 32-32 shppa_ 32-32 shpss_ 32-32 flwseck_test- 32-48'),
  ...keys(
    base64url,
    'sq0atp- 22-22 sq0csp- 43-43 EAAA 60-60 rzp_live_ 14-24 rzp_test_ 14-24 FLWSECK- 32-48 ck_live_ 20-60',
  ),
  // Messages and mail
  ...tokens(
    base64url,
    'xoxb- 20-200 xoxp- 20-200 xoxa- 20-200 xoxr- 20-200 xoxs- 20-200 xoxe- 20-250 xoxe.xoxp- 20-250 xoxe.xoxb- 20-250 xapp- 30-200 xoxc- 20-200 xoxd- 20-250',
  ),
  ...keys(dotted, 'SG. 33-90'),
  ...keys(hex, 'key- 32-32 SK 32-32'),
  ...keys(base64url, 'xkeysib- 64-90 re_ 30-50'),
  // Tokens of people
  ...tokens(base64url, 'ya29. 30-300 1//0 40-200 EAACEdEose0cBA 20-300 ory_at_ 40-100 ory_ac_ 40-100'),
];

function keys(characters: number, list: string): readonly SecretFormat[] {
  return parseFormats({ characters, kind: 'API_KEY' }, list);
}

function tokens(characters: number, list: string): readonly SecretFormat[] {
  return parseFormats({ characters, kind: 'TOKEN' }, list);
}

function parseFormats(
  common: Pick<SecretFormat, 'characters' | 'kind'>,
  list: string,
): readonly SecretFormat[] {
  const parts = list.split(' ');
  return parts.flatMap((prefix, at) => {
    const [least, most] = (parts[at + 1] ?? '').split('-');
    return at % 2 === 0 ? [{ ...common, prefix, least: Number(least), most: Number(most) }] : [];
  });
}

/** By their first three characters, the longest prefix first. */
const formatsByBeginning = new Map<number, readonly SecretFormat[]>();
for (const format of [...formats].sort((a, b) => b.prefix.length - a.prefix.length))
  for (const beginning of beginningsOf(format.prefix)) {
    const key = beginningAt(beginning, 0);
    formatsByBeginning.set(key, [...(formatsByBeginning.get(key) ?? []), format]);
  }

/** A prefix of two letters can go on with any hexadecimal digit. */
function beginningsOf(prefix: string): readonly string[] {
  return prefix.length > 2 ? [prefix] : Array.from('0123456789abcdef', (character) => prefix + character);
}

/** The first three characters of the prefixes. */
export const secretBeginnings: readonly string[] = formats.flatMap(({ prefix }) => beginningsOf(prefix));

function beginningAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 512 + text.charCodeAt(at + 1)) * 512 + text.charCodeAt(at + 2);
}

/** A key or token with a known prefix that begins at this place; where it ends. */
export function prefixedSecretAt(text: string, at: number, found: PatternFindings): number | undefined {
  const candidates = formatsByBeginning.get(beginningAt(text, at));
  if (candidates === undefined) return undefined;
  const format = candidates.find(({ prefix }) => text.startsWith(prefix, at));
  if (format === undefined) return undefined;
  const { prefix, characters, least, most, kind } = format;
  const start = at + prefix.length;
  let end = endOfRun(text, start, characters);
  // A full stop or dash after a key belongs to the sentence.
  while (
    end > start &&
    (classOf(text.charCodeAt(end - 1)) & alphanumeric) === 0 &&
    text.charAt(end - 1) !== '='
  )
    end--;
  const length = end - start;
  if (length < least || length > most || (classOf(text.charCodeAt(end)) & word) !== 0) return undefined;
  if (isPlaceholder(text.slice(start, end)) || !looksRandom(text, start, end)) return undefined;
  found.add({ start: at, end, kind }, byFormat);
  return end;
}

/** Words alone, such as `sk-proj-name-of-a-css-class`, are no keys. */
function looksRandom(text: string, start: number, end: number): boolean {
  let digits = 0;
  let capitals = 0;
  for (let at = start; at < end; at++) {
    const classes = classOf(text.charCodeAt(at));
    if ((classes & digit) !== 0) digits++;
    else if ((classes & upper) !== 0) capitals++;
  }
  return digits > 1 || (digits + capitals) * 5 > end - start;
}
