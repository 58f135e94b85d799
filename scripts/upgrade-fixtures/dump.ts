import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';

/** SQL statements that create the database again: tables, rows, then indexes and triggers. */
export function dumpSqlite(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const select = (sql: string) => database.prepare(sql).all();
  const made = select(
    "select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%'",
  );
  const tables = made.filter(({ type }) => type === 'table');
  const rows = tables.flatMap(({ name }) => {
    const columns = select(`select name from pragma_table_info('${name}')`).map(
      (column) => `"${column.name}"`,
    );
    const values = columns.map((column) => `quote(${column})`).join(` || ',' || `);
    return select(`select ${values} as "values" from "${name}"`).map(
      (row) => `insert into "${name}" (${columns.join(', ')}) values (${row.values})`,
    );
  });
  const others = made.filter(({ type }) => type !== 'table');
  database.close();
  const statements = [...tables.map(({ sql }) => sql), ...rows, ...others.map(({ sql }) => sql)];
  return statements.map((statement) => `${statement};\n`).join('');
}

/** The same with pg_dump, without the commands of psql and the settings of its version. */
export function dumpPostgres(url: string): string {
  const options = ['--inserts', '--column-inserts', '--no-owner', '--no-privileges', '--no-comments'];
  const text = execFileSync('pg_dump', [...options, url], { encoding: 'utf8' });
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^(?:--|\\|SET |SELECT pg_catalog\.set_config)/.test(line))
    .join('\n');
}
