import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { question } from '../../parts/chat/chat.ts';
import { Button, Code, Field, Input, TextArea } from '../../parts/controls.tsx';
import { duration } from '../../parts/format.ts';
import { formats } from '../../parts/formats.ts';
import { Badge, Failure } from '../../parts/states.tsx';
import { jsonSchemaOf, type Operation, sampleOf } from './description.ts';

const shownCharacters = 20_000;

/** Sends it, with the log-in of this page or a token that is typed in. */
export function TryIt({ operation }: { readonly operation: Operation }) {
  const schema = jsonSchemaOf(operation.requestBody);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [token, setToken] = useState('');
  const [body, setBody] = useState(() =>
    schema === undefined ? '' : JSON.stringify(callOf(operation.path) ?? sampleOf(schema), undefined, 2),
  );
  const sending = useMutation({
    mutationFn: async () => {
      const startedAt = performance.now();
      const answer = await fetch(addressOf(operation, values), {
        method: operation.method,
        headers: {
          ...(schema !== undefined && { 'content-type': 'application/json' }),
          ...(token !== '' && { authorization: `Bearer ${token}` }),
        },
        ...(schema !== undefined && { body }),
      });
      const text = await answer.text();
      return { status: answer.status, ms: performance.now() - startedAt, text: pretty(text) };
    },
  });
  const { data } = sending;
  const isDangerous = operation.method === 'DELETE';
  return (
    <form
      className="flex min-w-0 flex-col gap-3 self-start rounded-lg border border-line bg-surface p-4"
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate();
      }}
    >
      <h3 className="text-sm font-medium">Try it</h3>
      {(operation.parameters ?? []).map(({ name, required }) => (
        <Field key={name} label={name}>
          {(field) => (
            <Input
              {...field}
              required={required === true}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      {schema !== undefined && (
        <Field label="Body">
          {(field) => (
            <TextArea
              {...field}
              rows={6}
              spellCheck={false}
              className="font-mono text-xs!"
              value={body}
              onChange={(event) => setBody(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label="Token" hint="If empty, the session of this page is used where the route accepts it.">
        {(field) => (
          <Input
            {...field}
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        look={isDangerous ? 'danger' : 'primary'}
        busy={sending.isPending}
        className="self-start"
      >
        Send {operation.method}
      </Button>
      {sending.error !== null && <Failure error={sending.error} />}
      {data !== undefined && (
        <div className="flex flex-col gap-2" role="status">
          <p className="flex items-center gap-2 text-sm text-muted">
            <Badge tone={data.status < 400 ? 'saved' : data.status < 500 ? 'refused' : 'failed'}>
              {data.status}
            </Badge>
            {duration(data.ms)}
          </p>
          {data.text !== '' && <Code label="Answer" text={data.text} />}
        </div>
      )}
    </form>
  );
}

/** A call that is answered as it stands, and costs nothing. */
function callOf(path: string): object | undefined {
  const request = { ...question('Hello'), model: 'demo-1', maxTokens: 100, streamed: false };
  const found = formats.find((format) => format.path(request) === path.replace('{rest}', request.model));
  return found?.body(request);
}

function addressOf({ path, parameters = [] }: Operation, values: Readonly<Record<string, string>>): string {
  let address = path;
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? '';
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') query.set(name, value);
  }
  return query.size === 0 ? address : `${address}?${query}`;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2).slice(0, shownCharacters);
  } catch {
    return text.slice(0, shownCharacters);
  }
}
