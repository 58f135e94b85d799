import { Marked } from '../../parts/marked.tsx';
import { nameOf, type Schema } from './description.ts';

interface SchemaField {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

interface FieldsProps {
  readonly title: string;
  readonly fields?: readonly SchemaField[];
  readonly schema?: Schema;
}

const depthMax = 4;

/** The fields of something, with those inside of them. */
export function Fields({ title, fields, schema }: FieldsProps) {
  const list = fields ?? fieldsOf(schema ?? {});
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="text-sm font-medium">{title}</h3>
      {list.length === 0 ? (
        <p className="text-sm text-muted">{nameOf(schema ?? {})}</p>
      ) : (
        <List fields={list} depth={0} />
      )}
    </div>
  );
}

function List({ fields, depth }: { readonly fields: readonly SchemaField[]; readonly depth: number }) {
  return (
    <ul
      className={
        depth === 0 ? 'flex flex-col gap-1' : 'mt-1 ml-1 flex flex-col gap-1 border-l border-line pl-3'
      }
    >
      {fields.map(({ name, schema, required }) => {
        const inner = depth < depthMax ? fieldsOf(schema) : [];
        return (
          <li key={name} className="text-sm">
            <code className="font-mono text-xs">{name}</code>{' '}
            <span className="text-xs break-words text-muted">
              {nameOf(schema)}
              {required ? ', required' : ''}
              {schema.default === undefined ? '' : `, ${JSON.stringify(schema.default)} unless said`}
            </span>
            {schema.description !== undefined && (
              <p className="text-xs text-muted">
                <Marked text={schema.description} />
              </p>
            )}
            {inner.length > 0 && <List fields={inner} depth={depth + 1} />}
          </li>
        );
      })}
    </ul>
  );
}

function fieldsOf(schema: Schema): readonly SchemaField[] {
  const own =
    schema.properties ??
    schema.items?.properties ??
    schema.anyOf?.find(({ properties }) => properties)?.properties;
  const required = new Set(schema.required ?? schema.items?.required ?? []);
  return Object.entries(own ?? {}).map(([name, one]) => ({
    name,
    schema: one,
    required: required.has(name),
  }));
}
