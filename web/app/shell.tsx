import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import {
  BookOpen,
  CloudOff,
  Ellipsis,
  Keyboard,
  LogOut,
  PanelLeftClose,
  PanelLeftOpen,
  Search,
  Sparkles,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { capabilities, me, organizations } from '../api/queries.ts';
import { commandKey, IconButton, Key, Select } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { NotFound } from './not-found.tsx';
import { atHand, isAt, type NavigationItem, placesIn } from './places.ts';
import { useReachable } from './reach.ts';
import { useLogOut, useSwitch } from './session.ts';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';
import { ThemeChoice } from './theme-choice.tsx';

const Palette = lazy(() => import('./palette.tsx'));

export function Mark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6 shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <g fill="none" strokeWidth="2.6" strokeLinecap="round" className="stroke-on-accent">
        <path d="M6 12c3.3-3 6.7-3 10 0s6.7 3 10 0" />
        <path d="M6 20c3.3-3 6.7-3 10 0s6.7 3 10 0" opacity=".62" />
      </g>
    </svg>
  );
}

/** The frame around every page. */
export function Shell() {
  const { data } = useSuspenseQuery(capabilities);
  const places = placesIn(data);
  const [open, setOpen] = useState<'palette' | 'help' | 'more'>();
  const close = () => setOpen(undefined);
  useShortcuts(places, { palette: () => setOpen('palette'), help: () => setOpen('help') });
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <Rail
        places={places}
        mode={data.mode}
        version={data.version}
        onSearch={() => setOpen('palette')}
        onHelp={() => setOpen('help')}
      />
      <div className="flex min-w-0 grow flex-col pb-16 sm:pb-0">
        <Away />
        <main id="main" className="min-w-0 grow">
          <Content places={places} />
        </main>
      </div>
      <BottomBar places={places} onMore={() => setOpen('more')} />
      <Dialog open={open === 'more'} onClose={close} title="More">
        <nav aria-label="More pages" className="flex flex-col">
          {places.slice(atHand).map((place) => (
            <PlaceLink key={place.to} place={place} onPick={close} />
          ))}
          <DocsLinks version={data.version} />
        </nav>
        {data.mode === 'cloud' && <OrganizationChoice />}
        <ThemeChoice />
      </Dialog>
      <ShortcutHelp open={open === 'help'} onClose={close} places={places} />
      {open === 'palette' && (
        <Suspense>
          <Palette places={places} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}

const entrances = new Set(['/login', '/signup', '/forgotten']);

/** Each mode has its own pages, and who is in has no need of the door. */
function Content({ places }: { readonly places: readonly NavigationItem[] }) {
  const { pathname } = useLocation();
  if (entrances.has(pathname)) return <Navigate to="/" replace />;
  return places.some((place) => isAt(place, pathname)) ? <Outlet /> : <NotFound />;
}

/** The last figures stay on the page; this says how old they may be. */
function Away() {
  if (useReachable()) return null;
  return (
    <div
      role="status"
      className="flex items-center gap-2 border-b border-line bg-refused-soft px-4 py-2 text-sm text-refused"
    >
      <CloudOff aria-hidden className="size-4 shrink-0" />
      The gateway does not respond; this data may be outdated. Retrying…
    </div>
  );
}

interface RailProps {
  readonly places: readonly NavigationItem[];
  readonly mode: string;
  readonly version: string;
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

function Rail({ places, mode, version, onSearch, onHelp }: RailProps) {
  const [folded, setFolded] = useState(() => localStorage.getItem('weir-rail') === 'folded');
  const fold = () => {
    localStorage.setItem('weir-rail', folded ? 'open' : 'folded');
    setFolded(!folded);
  };
  const wide = folded ? 'hidden' : 'hidden lg:inline';
  return (
    <aside
      className={`sticky top-0 hidden h-dvh shrink-0 flex-col gap-1 border-r border-line bg-surface px-2 py-3 sm:flex ${folded ? 'w-14' : 'w-14 lg:w-52'}`}
    >
      <Link to="/" className="mb-2 flex h-8 items-center gap-2.5 px-2">
        <span className="sr-only">Overview of</span>
        <Mark />
        <span className={`${wide} text-base font-semibold tracking-tight`}>Weir</span>
        <span className={`${wide} rounded-sm bg-sunken px-1.5 text-xs text-muted`}>{mode}</span>
      </Link>
      <button
        type="button"
        onClick={onSearch}
        title={`Search (${commandKey} K)`}
        className="mb-2 flex h-8 items-center gap-2.5 rounded-md border border-line px-2.5 text-sm text-muted hover:border-edge"
      >
        <Search aria-hidden className="size-4 shrink-0" />
        <span className="sr-only">Find pages and more:</span>
        <span className={`${wide} grow text-left`}>Search</span>
        <span className={wide}>
          <Key>{commandKey} K</Key>
        </span>
      </button>
      <nav aria-label="Places" className="flex min-h-0 flex-col gap-0.5 overflow-y-auto">
        {places.map((place) => (
          <PlaceLink key={place.to} place={place} textClass={wide} />
        ))}
      </nav>
      <div className="mt-auto flex flex-col gap-0.5 pt-2">
        <DocsLinks version={version} textClass={wide} />
        {mode === 'cloud' && <OrganizationChoice className={folded ? 'hidden' : 'hidden lg:block'} />}
        {mode === 'cloud' && <WhoIsIn isFolded={folded} />}
      </div>
      <div className={`flex gap-1 ${folded ? 'flex-col' : 'flex-col lg:flex-row'}`}>
        <ThemeChoice small />
        <IconButton label="Keyboard shortcuts" onClick={onHelp}>
          <Keyboard aria-hidden />
        </IconButton>
        <IconButton
          label={folded ? 'Expand the sidebar' : 'Collapse the sidebar'}
          onClick={fold}
          className="max-lg:hidden lg:ml-auto"
        >
          {folded ? <PanelLeftOpen aria-hidden /> : <PanelLeftClose aria-hidden />}
        </IconButton>
      </div>
    </aside>
  );
}

interface PlaceLinkProps {
  readonly place: NavigationItem;
  readonly textClass?: string;
  readonly onPick?: () => void;
}

function PlaceLink({
  place: { to, title, icon: Icon, startsGroup },
  textClass = '',
  onPick,
}: PlaceLinkProps) {
  return (
    <Link
      to={to}
      title={title}
      onClick={onPick}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className={`${linkLook} ${startsGroup === true ? 'mt-2' : ''} aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink`}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <LinkText textClass={textClass}>{title}</LinkText>
    </Link>
  );
}

const linkLook =
  'flex h-8 shrink-0 items-center gap-2.5 rounded-md px-2.5 text-sm text-muted hover:bg-sunken hover:text-ink';

/** For screen readers also where there is room for the icon alone. */
function LinkText({ textClass, children }: { readonly textClass: string; readonly children: string }) {
  return (
    <>
      <span className={`${textClass} truncate`}>{children}</span>
      <span className={textClass === '' ? 'hidden' : 'sr-only lg:hidden'}>{children}</span>
    </>
  );
}

/** The documentation is served by the gateway, but is no page of this application. */
function DocsLinks({ version, textClass = '' }: { readonly version: string; readonly textClass?: string }) {
  return (
    <>
      <a href="/docs/" title="Documentation" className={linkLook}>
        <BookOpen aria-hidden className="size-4 shrink-0" />
        <LinkText textClass={textClass}>Documentation</LinkText>
      </a>
      <a href="/docs/project/changelog" title={`Version ${version}: what’s new`} className={linkLook}>
        <Sparkles aria-hidden className="size-4 shrink-0" />
        <LinkText textClass={textClass}>{`What’s new in ${version}`}</LinkText>
      </a>
    </>
  );
}

/** Only for people with several organizations. */
function OrganizationChoice({ className = '' }: { readonly className?: string }) {
  const { data } = useQuery(organizations);
  const switching = useSwitch();
  if (data === undefined || data.organizations.length < 2) return null;
  return (
    <Select
      aria-label="Organization"
      className={className}
      disabled={switching.isPending}
      value={data.organizations.find(({ current }) => current)?.id}
      onChange={({ target }) => switching.mutate(target.value)}
    >
      {data.organizations.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

function WhoIsIn({ isFolded }: { readonly isFolded: boolean }) {
  const { data } = useQuery(me);
  const leaving = useLogOut();
  return (
    <div className="flex min-w-0 items-center">
      <Link
        to="/account"
        title={data?.email}
        className={`${isFolded ? 'hidden' : 'hidden lg:block'} min-w-0 grow truncate rounded-md px-2.5 py-1.5 text-sm text-muted hover:bg-sunken hover:text-ink`}
      >
        {data?.email}
      </Link>
      <IconButton label="Log out" disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        <LogOut aria-hidden />
      </IconButton>
    </div>
  );
}

function BottomBar({
  places,
  onMore,
}: {
  readonly places: readonly NavigationItem[];
  readonly onMore: () => void;
}) {
  const { pathname } = useLocation();
  const isFurther = places.slice(atHand).some(({ to }) => to === pathname);
  const look =
    'flex flex-1 flex-col items-center justify-center gap-0.5 text-[11px] text-muted aria-[current=page]:text-accent [&>svg]:size-5';
  return (
    <nav
      aria-label="Places"
      className="fixed inset-x-0 bottom-0 z-30 flex h-[calc(3.5rem+env(safe-area-inset-bottom))] border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden"
    >
      {places.slice(0, atHand).map(({ to, title, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className={look}>
          <Icon aria-hidden />
          {title}
        </Link>
      ))}
      <button type="button" onClick={onMore} className={`${look} ${isFurther ? 'text-accent!' : ''}`}>
        <Ellipsis aria-hidden />
        More
      </button>
    </nav>
  );
}
