import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPatterns } from '../find-patterns.ts';

const kinds = new Set([
  'NATIONAL_ID',
  'SSN',
  'PASSPORT',
  'DRIVER_LICENSE',
  'DATE_OF_BIRTH',
  'COORDINATES',
  'CRYPTO_ADDRESS',
]);

/** Published examples. Those with a word are found only behind it. */
const numbers: readonly (readonly [country: string, number: string, word?: string])[] = [
  ['AR', '20-05536168-2'],
  ['AT', '1237 010180', 'SVNR'],
  ['AU', '51 824 753 556', 'ABN'],
  ['AU', '123 456 782', 'TFN'],
  ['AU', '000 250 000', 'ACN'],
  ['BE', '85.07.30-033.28'],
  ['BG', '7523169263', 'ЕГН'],
  ['BR', '390.533.447-05'],
  ['BR', '11.222.333/0001-81'],
  ['BR', '39053344705', 'CPF'],
  ['CA', '046 454 286', 'SIN'],
  ['CH', '756.9217.0769.85'],
  ['CL', '12.531.909-2'],
  ['CN', '11010519491231002X'],
  ['CN', '360426199101010071'],
  ['CZ', '710319/2745'],
  ['DE', '36574261809', 'Steuer-ID'],
  ['DE', '15070649C103'],
  ['EE', '36805280109', 'isikukood'],
  ['ES', '54362315K'],
  ['ES', 'X5253868R'],
  ['FI', '131052-308T'],
  ['FR', '2 95 10 99 126 111 93'],
  ['GB', '943 476 5919', 'NHS number'],
  ['GR', '094259216', 'ΑΦΜ'],
  ['GR', '01013099997', 'AMKA'],
  ['HK', 'A123456(3)'],
  ['HR', '33392005961', 'OIB'],
  ['HU', '111 111 110', 'TAJ'],
  ['IE', '6433435F', 'PPSN'],
  ['IL', '039337423', 'Israeli ID'],
  ['IN', '2341 2341 2346'],
  ['IS', '450401-3150', 'kennitala'],
  ['IT', 'RSSMRA85T10A562S'],
  ['LT', '33309240064', 'asmens kodas'],
  ['MX', 'BOXW310820HNERXN09'],
  ['NL', '111222333', 'BSN'],
  ['NO', '15108695088'],
  ['PL', '44051401359', 'PESEL'],
  ['PL', '8567346215', 'NIP'],
  ['PT', '501964843', 'NIF'],
  ['RO', '1630615123457', 'CNP'],
  ['RS', '0101006500006', 'JMBG'],
  ['RU', '112-233-445 95'],
  ['RU', '7707083893', 'ИНН'],
  ['SE', '880320-0016'],
  ['SG', 'S1234567D'],
  ['TH', '1-2345-45678-78-1'],
  ['TR', '17291716060', 'TC Kimlik'],
  ['TW', 'A123456789'],
  ['UA', '1759013776', 'РНОКПП'],
  ['ZA', '7503305044089', 'ID number'],
];

/** The same number with another last character. */
function changed(number: string): string {
  return number.replace(/[A-Z\d](?=\)?$)/, (last) =>
    /\d/.test(last)
      ? String((Number(last) + 1) % 10)
      : last === 'A'
        ? 'B'
        : String.fromCharCode(last.charCodeAt(0) - 1),
  );
}

const foundIn = (text: string) =>
  findPatterns(text, kinds).map(({ start, end, kind }) => `${kind} ${text.slice(start, end)}`);

test('numbers of countries are found by their check digits', () => {
  for (const [country, number, word = 'the number'] of numbers) {
    assert.deepEqual(foundIn(`${word} ${number}.`), [`NATIONAL_ID ${number}`], country);
    assert.deepEqual(foundIn(`${word} ${changed(number)}.`), [], country);
  }
});

test('numbers with a single check digit and no letter need a word before them', () => {
  for (const [country, number, word] of numbers)
    if (word !== undefined) assert.deepEqual(foundIn(`1 of ${number}`), [], country);
});

test('numbers without check digits are found by their format, ranges and dates', () => {
  assert.deepEqual(foundIn('SSN 536-22-8726, ssn: 536228726, 666-22-8726, 536-00-8726, 900-22-8726'), [
    'SSN 536-22-8726',
    'SSN 536228726',
  ]);
  assert.deepEqual(
    foundIn('ITIN 912-70-1234; NI AB 12 34 56 C, AB123456C, GB123456C; PAN ACUPA7085R, ACUXA7085R'),
    [
      'NATIONAL_ID 912-70-1234',
      'NATIONAL_ID AB 12 34 56 C',
      'NATIONAL_ID AB123456C',
      'NATIONAL_ID ACUPA7085R',
    ],
  );
  assert.deepEqual(
    foundIn(
      'Medicare 2123 45670 1, Medicare 2123 45671 1, CPR 211062-5629, CPR 311362-5629, 800101-1234567, 801301-1234567, 770305-02-1234',
    ),
    [
      'NATIONAL_ID 2123 45670 1',
      'NATIONAL_ID 211062-5629',
      'NATIONAL_ID 800101-1234567',
      'NATIONAL_ID 770305-02-1234',
    ],
  );
});

test('documents, dates of birth and positions are found by the word before them', () => {
  assert.deepEqual(
    foundIn('Passport no. C01X00T47 or passport: AB1234567; the driver’s license is D1234567'),
    ['PASSPORT C01X00T47', 'PASSPORT AB1234567', 'DRIVER_LICENSE D1234567'],
  );
  assert.deepEqual(
    foundIn(
      'DOB: 03/14/1985, born on 3 March 1985 in Rome. Geb. 3. März 1985. Date of birth: March 3rd, 1985',
    ),
    [
      'DATE_OF_BIRTH 03/14/1985',
      'DATE_OF_BIRTH 3 March 1985',
      'DATE_OF_BIRTH 3. März 1985',
      'DATE_OF_BIRTH March 3rd, 1985',
    ],
  );
  assert.deepEqual(foundIn('lat: 48.8566, "lng": -2.3522; 40.7128° N, 74.0060° W /@48.85661,2.35222,17z'), [
    'COORDINATES 48.8566',
    'COORDINATES -2.3522',
    'COORDINATES 40.7128° N, 74.0060° W',
    'COORDINATES 48.85661,2.35222',
  ]);
  assert.deepEqual(
    foundIn('released on 2024-01-31; [0.12345, 0.54321]; passport.js 1234567 users; latency: 12.3456'),
    [],
  );
});

test('addresses of cryptocurrencies are found by their checksums', () => {
  const addresses = [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ];
  for (const address of addresses) {
    assert.deepEqual(foundIn(`to ${address}.`), [`CRYPTO_ADDRESS ${address}`]);
    assert.deepEqual(foundIn(`to ${address.slice(0, -2)}${address.at(-1)}${address.at(-2)}.`), [], address);
  }
  const ether = '0x52908400098527886E0F7030069857D2E4169EE7';
  assert.deepEqual(foundIn(`to ${ether}, 0x${'0'.repeat(40)}`), [`CRYPTO_ADDRESS ${ether}`]);
});
