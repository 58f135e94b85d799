import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalKinds, secretKinds } from '../finding.ts';
import { findPatterns } from './find-patterns.ts';
import { partialPatternAt, patternCharactersMax } from './partial-patterns.ts';
import { endOfPrivateKey } from './secrets/private-keys.ts';

const all = new Set<string>([...personalKinds, ...secretKinds].filter((kind) => kind !== 'URL'));

/** Texts with the expected values in brackets, by kind. */
type Marked = Readonly<Record<string, readonly string[]>>;

/** What is found, in brackets. */
function mark(text: string, kind: string): string {
  const found = findPatterns(text, all).filter((finding) => finding.kind === kind);
  return found
    .toReversed()
    .reduce(
      (marked, { start, end }) =>
        `${marked.slice(0, start)}⟦${marked.slice(start, end)}⟧${marked.slice(end)}`,
      text,
    );
}

function assertMarked(marked: Marked): void {
  for (const [kind, texts] of Object.entries(marked))
    for (const text of texts) assert.equal(mark(text.replace(/[⟦⟧]/g, ''), kind), text);
}

function assertNothing(texts: readonly string[]): void {
  for (const text of texts) assert.deepEqual(findPatterns(text, all), [], text);
}

/** Made of parts, so that scanners of repositories take none of the keys in this file for a real one. */
const random = (characters: number) => 'a7Bq0Zk3Xw9Rt5Lm2Vc8Np4Hd6Js1Fg'.repeat(20).slice(0, characters);
const randomHex = (characters: number) => '7f3a9c01e5b84d26'.repeat(20).slice(0, characters);

test('personal data is found by its format and check digits', () => {
  assertMarked({
    EMAIL: [
      "Write to ⟦ann.o'hara+x@mail.example.co.uk⟧.",
      '<⟦jörg@müller.example⟧>, "⟦用户@例子.公司⟧"',
      'a=⟦bo%40example.org⟧&b ⟦root@203.0.113.9⟧ mailto:⟦x_y@xn--mller-kva.example⟧?s',
    ],
    CREDIT_CARD: [
      '⟦4111111111111111⟧ ⟦5555-5555-5555-4444⟧, ⟦3782 822463 10005⟧; ⟦6011.1111.1111.1117⟧',
      'my card ⟦4917610000000000003⟧ and #⟦3530111333300000⟧-001',
      'two: 12 ⟦4111 1111 1111 1111⟧ 12/27',
    ],
    IBAN: [
      '⟦DE89 3704 0044 0532 0130 00⟧ or ⟦gb29nwbk60161331926819⟧, ⟦EG380019000500000000263180002⟧',
      '⟦LC55HEMM000100010012001200023015⟧ ⟦UA21 3223 1300 0002 6007 2335 6600 1⟧ ⟦SC18SSCB11010000000000001497USD⟧',
    ],
    PHONE: [
      'Ring ⟦+49 (0)30 901820⟧, ⟦+1-212-555-0100 ext. 12⟧ or ⟦0044 20 7946 0958⟧',
      '⟦(212) 555-0100⟧, ⟦(11) 91234-5678⟧, ⟦212.555.0100x33⟧, ⟦01 23 45 67 89⟧, ⟦090-1234-5678⟧',
      '⟦07700 900123⟧, ⟦0151 12345678⟧, ⟦5550123⟧ is my cell; Tel: ⟦5550100⟧, Handy ⟦0170 1234567⟧, call me at ⟦555 0100⟧ or ⟦030 901820⟧ office',
      '电话：⟦138 0013 8000⟧',
    ],
    IP_ADDRESS: [
      'from ⟦203.0.113.77⟧:443 and [⟦2001:db8::8a2e:370:7334⟧], ⟦::ffff:203.0.113.7⟧',
      'http://⟦198.51.100.23⟧/x ⟦fe80::1ff:fe23:4567:890a⟧%eth0',
    ],
    MAC_ADDRESS: ['⟦00:1a:2b:3c:4d:5e⟧, ⟦00-1A-2B-3C-4D-5E⟧ and ⟦001a.2b3c.4d5e⟧'],
  });
});

test('what only looks like personal data is left alone', () => {
  assertNothing([
    'git@github.com:weir/weir.git postgres://weir:secret@db.example icon@2x.png react@18.2.0 @scope/name not@email a@b.c',
    '4111111111111112 1234567890123456 0.4111111111111111 1763445600000 4111111111111111234567',
    'DE89 3704 0044 0532 0130 01, XX89370400440532013000',
    '127.0.0.1 0.0.0.0 255.255.255.0 10.0.0.0/8 version 1.2.3.4 Chrome/120.0.6099.71 1.2.3 1.2.3.4.5 ::1 std::abs ab::cd 12:30:45',
    '2024-01-31 12:00:00, 1.234.567,89, 20240131123456, 0.6423975 and 1234567 of 7654321 bytes, 1-800',
    'this call could cost 0.6423975 USD; call 3 times; the phone has 128 GB; a mobile for 8000-10000, phone 10000000000; text: 12345678',
    '550e8400-e29b-41d4-a716-446655440000 0-306-40615-2 978-3-16-148410-0 00:00:00:00:00:00',
    'aa:bb:cc:dd:ee:ff:00:11:22:33 #123456 v1.10.100.1000',
  ]);
});

test('secrets are found by their format or by the name of their variable', () => {
  assertMarked({
    API_KEY: [
      `key ⟦sk-ant-api03-${random(60)}⟧, ⟦sk-proj-${random(48)}⟧ and ⟦AIza${random(35)}⟧.`,
      `⟦ghp_${random(36)}⟧ "⟦AKIA${'Q3EGRI7KD2XWPZ5T'}⟧" ⟦xai-${random(80)}⟧ ⟦gw_live_${random(43)}⟧`,
      `⟦SG.${random(22)}.${random(43)}⟧ ⟦dop_v1_${randomHex(64)}⟧ ⟦npm_${random(36)}⟧ ⟦sk_live_${random(24)}⟧`,
      `\\n⟦gsk_${random(52)}⟧\\nAZURE_API_KEY="⟦${randomHex(32)}⟧"; clientSecret: '⟦${random(40)}⟧'`,
    ],
    TOKEN: [
      `Authorization: Bearer ⟦${random(30)}⟧`,
      `Authorization: Basic ⟦${Buffer.from('ann:hunter2').toString('base64')}⟧`,
      `⟦${jwt({ alg: 'HS256' })}⟧. ⟦xoxb-123456789012-1234567890123-${random(24)}⟧`,
      `/callback?access_token=⟦${random(30)}⟧&state=1 ⟦https://hooks.slack.com/services/T00000001/B00000001/${random(24)}⟧`,
      `Cookie: theme=dark; sid=⟦${random(24)}⟧; lang=en`,
      `Set-Cookie: JSESSIONID=⟦${random(32)}⟧; Path=/; Expires=Thu, 01 Jan 2026 00:00:00 GMT`,
      `⟦123456789:A${random(34)}⟧`,
    ],
    PASSWORD: [
      'password: ⟦hunter2!⟧, and DB_PASSWORD=⟦s3cr3t#pw⟧',
      '"password": "⟦Tr0ub4dor&3⟧" Passwort lautet ⟦geheim99⟧. The password for the router is ⟦b1gf00t⟧.',
      'contraseña: ⟦abc123$⟧ pw: ⟦hunter22⟧ PIN: ⟦4821⟧ пароль: ⟦qwerty12⟧',
    ],
    CONNECTION_STRING: [
      'use ⟦postgres://weir:p4ss@db.example:5432/weir?ssl=1⟧, or ⟦https://ann:hunter2@example.com/x⟧.',
      '⟦mongodb+srv://u:p%40ss9@cluster0.example.net⟧ ⟦redis://:s3cret@cache⟧',
    ],
    PRIVATE_KEY: ['x ⟦-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----⟧ y'],
  });
});

test('placeholders and code that handles secrets are left alone', () => {
  assertNothing([
    'apiKey: process.env.OPENAI_API_KEY, token = getToken(request), password: string; password?: string',
    'API_KEY=your-api-key-here1 token: "<YOUR_TOKEN_12345>" SECRET_KEY=xxxxxxxxxxxx1234 key=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'password = self.config.password2 password: z.string().min(8), pwd: /home/ann/x1 PASSWORD=$DB_PASSWORD1 password is required',
    `postgres://user:$\{PASSWORD}@host/db https://user:password@host/ Authorization: Bearer $\{token1} Bearer <token1234567>`,
    `ghp_${random(40)} AIza${random(30)} eyJhbGciOiJIUzI1NiJ9.incomplete eyJhbGc.broken.signature1`,
    'max_tokens: 4096, tokenizer = "cl100k_base_2024", secretName: my-secret-2, sk-proj-name-of-a-css-class-in-a-file',
    'token: 2024-01-31T00:00:00, session=abc, ?token=abc, sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----',
  ]);
});

test('digits of other scripts, full-width letters and invisible characters are seen through', () => {
  assertMarked({
    CREDIT_CARD: [
      '⟦４１１１ １１１１ １１１１ １１１１⟧ ⟦4111\u00a01111\u00a01111\u00a01111⟧ ⟦4111\u20111111\u20111111\u20111111⟧',
    ],
    EMAIL: ['a ⟦an\u200bn@exam\u00adple.org⟧ b ⟦ann＠example.org⟧ 😀'],
    PHONE: ['tel ⟦+٤٩ ٣٠ ٩٠١٨٢٠⟧'],
  });
});

test('a stream can hold back every finding from its first character', () => {
  const texts = [
    'Write to jörg@müller.example or user@会社.jp, card 4111 1111 1111 1111, call +49 (0)30 901820 ext. 12 now',
    `IBAN DE89 3704 0044 0532 0130 00 and ${jwt({ alg: 'HS256' })} from 203.0.113.77 at 555 0100 office`,
    `password: hunter2! postgres://weir:p4ss@db.example:5432/weir`,
    'fullwidth ４１１１ １１１１ １１１１ １１１１ in ann＠example.org',
  ];
  for (const text of texts) {
    const findings = findPatterns(text, all);
    assert.ok(findings.length > 1, text);
    for (const { start, end } of findings)
      for (let cut = start + 1; cut < end; cut++)
        assert.ok(partialPatternAt(text.slice(0, cut), all) <= start, text.slice(start, cut));
  }
  assert.equal(partialPatternAt('Nothing to hold here. ', all), 22);
  assert.equal(partialPatternAt('这里没有任何东西', all), 8);
  const endless = 'a'.repeat(100_000);
  assert.equal(partialPatternAt(endless, all), endless.length - patternCharactersMax);
});

test('a private key ends with its footer, or with the text', () => {
  const header = '-----BEGIN PRIVATE KEY-----';
  const open = `${header}\nMIIEvQIBADANBgkqhkiG9w0B\nMIIEvQIBADANBg`;
  for (const text of [open, `${open}\n`, `${header}\\nMIIEvQIBADANBgkqhkiG9w0B\\n`])
    assert.deepEqual(findPatterns(text, all), [{ start: 0, end: text.length, kind: 'PRIVATE_KEY' }]);
  assert.equal(endOfPrivateKey('kqhkiG9w0B\n-----END PRIVATE KEY'), undefined);
  assert.equal(endOfPrivateKey('kqhkiG9w0B\n-----END PRIVATE KEY----- x'), 36);
  for (let cut = 1; cut < header.length + 16; cut++)
    assert.equal(partialPatternAt(open.slice(0, cut), all), 0);
  assertNothing([`It begins with ${header} and ends with another line.`, header]);
});

test('hostile texts take linear time', () => {
  const units = [
    '-----BEGIN PRIVATE KEY-----\n',
    'cookie: a=b1;',
    'password=',
    '(12',
    'a@',
    '1234 ',
    'http://a:a',
    'GB29 ',
    'eyJ.',
  ];
  const cpuMs = (characters: number) => {
    const texts = units.map((unit) => unit.repeat(characters / unit.length));
    const before = process.cpuUsage();
    for (const text of texts) findPatterns(text, all);
    return process.cpuUsage(before).user / 1000;
  };
  cpuMs(5_000);
  const [short, long] = [cpuMs(5_000), cpuMs(80_000)];
  // Sixteen times as much, and not 256 times.
  assert.ok(long < 80 * Math.max(short, 1), `${short} ms and ${long} ms`);
});

test('only the wanted kinds are found', () => {
  const text = 'ann@example.org 4111111111111111 password: hunter2!';
  assert.deepEqual(
    findPatterns(text, new Set(['CREDIT_CARD'])).map(({ kind }) => kind),
    ['CREDIT_CARD'],
  );
  assert.deepEqual(findPatterns(text, new Set()), []);
});

function jwt(header: object): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encoded(header)}.${encoded({ sub: 'ann', iat: 1_700_000_000 })}.${random(43)}`;
}
