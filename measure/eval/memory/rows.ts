import { readFileSync } from 'node:fs';

export function rowsOf<Row>(file: string): readonly Row[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}
