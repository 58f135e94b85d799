import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { useKeys } from '../../app/shortcuts.ts';
import { Input } from '../../parts/controls.tsx';
import { Marked } from '../../parts/marked.tsx';
import { Empty, Loaded, Page, Rows, Section } from '../../parts/states.tsx';
import { description, jsonSchemaOf, type Operation } from './description.ts';
import { Fields } from './fields.tsx';
import { TryIt } from './try-it.tsx';

const route = getRouteApi('/reference');

/** The whole HTTP API, as the gateway describes itself. */
export function Reference() {
  const described = useQuery(description);
  const { q = '', open } = route.useSearch();
  const navigate = route.useNavigate();
  const box = useRef<HTMLInputElement>(null);
  const linked = useRef(open);
  useKeys({ '/': () => box.current?.focus() });
  const show = (id: string) =>
    void navigate({
      search: (before) => ({ ...before, open: id === open ? undefined : id }),
      replace: true,
      resetScroll: false,
    });
  const matches = ({ path, summary, method }: Operation) =>
    `${method} ${path} ${summary}`.toLowerCase().includes(q.toLowerCase());
  return (
    <Page
      title="API"
      lead={
        <>
          This dashboard uses only this API.{' '}
          <a href="/openapi.json" className="text-accent underline">
            OpenAPI 3.1
          </a>
        </>
      }
      actions={
        <Input
          ref={box}
          type="search"
          aria-label="Search the routes"
          placeholder="Search"
          className="sm:w-64"
          value={q}
          onChange={(event) =>
            void navigate({
              search: (before) => ({ ...before, q: event.target.value || undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
    >
      <Loaded of={described} loading={<Rows count={14} />}>
        {(byTag) => {
          const found = [...byTag]
            .map(([tag, all]) => [tag, all.filter(matches)] as const)
            .filter(([, all]) => all.length > 0);
          if (found.length === 0) return <Empty title="No route matches." />;
          return found.map(([tag, all]) => (
            <Section key={tag} title={tag}>
              <ul className="flex flex-col">
                {all.map((operation) => (
                  <li
                    key={operation.id}
                    ref={(row) => {
                      if (row === null || operation.id !== linked.current) return;
                      linked.current = undefined;
                      row.scrollIntoView();
                    }}
                    className="scroll-mt-4 border-b border-line"
                  >
                    <button
                      type="button"
                      aria-expanded={operation.id === open}
                      onClick={() => show(operation.id)}
                      className="group grid w-full grid-cols-[1rem_4rem_minmax(0,1fr)] items-center gap-2 py-2 text-left text-sm hover:bg-sunken sm:grid-cols-[1rem_4rem_minmax(0,20rem)_minmax(0,1fr)]"
                    >
                      <ChevronRight
                        aria-hidden
                        className="size-4 text-muted transition-transform group-aria-expanded:rotate-90"
                      />
                      <span className="font-mono text-xs text-accent">{operation.method}</span>
                      <span className="truncate font-mono text-xs">{operation.path}</span>
                      <span className="col-start-3 truncate text-muted sm:col-start-4">
                        {operation.summary}
                      </span>
                    </button>
                    {operation.id === open && <Open operation={operation} />}
                  </li>
                ))}
              </ul>
            </Section>
          ));
        }}
      </Loaded>
    </Page>
  );
}

function Open({ operation }: { readonly operation: Operation }) {
  const body = jsonSchemaOf(operation.requestBody);
  const who = (operation.security ?? []).flatMap((one) => Object.keys(one));
  return (
    <div className="grid gap-6 pt-2 pb-6 pl-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        {operation.description !== undefined && (
          <p className="text-sm text-muted">
            <Marked text={operation.description} />
          </p>
        )}
        <p className="text-sm text-muted">
          {who.length === 0 ? 'Anyone may call.' : `Credentials: ${who.map(wordsOf).join(', or ')}.`}
        </p>
        {operation.parameters !== undefined && (
          <Fields
            title="Parameters"
            fields={operation.parameters.map(({ name, required, schema, description: said }) => ({
              name,
              schema: said === undefined ? schema : { ...schema, description: said },
              required: required === true,
            }))}
          />
        )}
        {body !== undefined && <Fields title="Body" schema={body} />}
        {Object.entries(operation.responses).map(([status, answer]) => {
          const schema = jsonSchemaOf(answer);
          return status.startsWith('2') && schema !== undefined ? (
            <Fields key={status} title={`${status}: ${answer.description ?? ''}`} schema={schema} />
          ) : (
            <p key={status} className="text-sm">
              <span className="font-mono text-xs">{status}</span>{' '}
              <span className="text-muted">
                <Marked text={answer.description ?? ''} />
              </span>
            </p>
          );
        })}
      </div>
      <TryIt operation={operation} />
    </div>
  );
}

const words: Readonly<Record<string, string>> = {
  bearer: 'what the gateway asks of callers',
  apiKey: 'an API key',
  session: 'a session token',
  sessionCookie: 'the log-in of this page',
  anonToken: 'the token of an anonymous session',
  scimToken: 'a SCIM token of the organization',
  payment: 'a payment',
};

function wordsOf(name: string): string {
  return words[name] ?? name;
}
