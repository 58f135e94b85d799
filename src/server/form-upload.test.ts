import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readFormModel } from './form-upload.ts';

interface Part {
  readonly name: string;
  readonly value: string;
  readonly isFile: boolean;
}

function write(parts: readonly Part[]): Buffer {
  const written = parts.map(({ name, value, isFile }) => {
    const filename = isFile ? '; filename="f"' : '';
    return `--b\r\ncontent-disposition: form-data; name="${name}"${filename}\r\n\r\n${value}\r\n`;
  });
  return Buffer.from(`${written.join('')}--b--\r\n`);
}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

const noSpool = {
  write: () => assert.fail('a small form is not spooled'),
  async *chunks(): AsyncGenerator<Buffer> {},
  close: async () => undefined,
};

const part = fc.record({
  name: fc.constantFrom('prompt', 'user', 'n'),
  value: fc.string({ unit: fc.constantFrom('a', 'ä', '\r\n', '-', '--b'), maxLength: 12 }),
  isFile: fc.boolean(),
});

/** Its value can't contain the line that ends it. */
const isWritable = ({ value }: Part): boolean => !`\r\n${value}\r\n`.includes('\r\n--b');

test('texts of a form are replaced wherever they stand and however the form is cut', async () => {
  const parts = fc.array(part.filter(isWritable), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(parts, parts, fc.integer({ min: 1, max: 40 }), async (before, after, size) => {
      const model = { name: 'model', value: 'm', isFile: false };
      const all = [...before, model, ...after];
      const bytes = write(all);
      const form = await readFormModel(cut(bytes, size), 'multipart/form-data; boundary=b', {
        spool: noSpool,
        beforeSpooling: async () => undefined,
      });
      assert.equal(form.model, 'm');
      await form.complete();
      assert.equal(form.files, all.filter(({ isFile }) => isFile).length);
      const rename = (text: string): string => `<${text.length}>`;
      const changes = Object.fromEntries(
        Object.entries(form.texts).map(([name, value]) => [
          name,
          typeof value === 'string' ? rename(value) : value.map(rename),
        ]),
      );
      const sent = Buffer.concat(await Array.fromAsync(form.chunks(changes)));
      const expected = write(all.map((one) => (one.isFile ? one : { ...one, value: rename(one.value) })));
      assert.equal(sent.toString(), expected.toString());
    }),
    { numRuns: 200 },
  );
});
