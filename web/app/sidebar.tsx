import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { BookOpen, Keyboard, LogOut, PanelLeftClose, PanelLeftOpen, Search, Sparkles } from 'lucide-react';
import { useState } from 'react';
import { me, organizations } from '../api/queries.ts';
import { commandKey, IconButton, Key, Select } from '../parts/controls.tsx';
import { Mark } from '../parts/mark.tsx';
import { isAt, type NavigationItem, sidebarItems } from './places.ts';
import { useLogOut, useSwitch } from './session.ts';
import { ThemeChoice } from './theme-choice.tsx';

interface SidebarProps {
  readonly places: readonly NavigationItem[];
  readonly mode: string;
  readonly version: string;
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

/** On screens wider than a phone's. */
export function Sidebar({ places, mode, version, onSearch, onHelp }: SidebarProps) {
  const [folded, setFolded] = useState(() => localStorage.getItem('weir-rail') === 'folded');
  const fold = () => {
    localStorage.setItem('weir-rail', folded ? 'open' : 'folded');
    setFolded(!folded);
  };
  const { pathname } = useLocation();
  const isAtSetting = places.some((place) => place.isSetting === true && isAt(place, pathname));
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
        {sidebarItems(places).map((place) => (
          <PlaceLink
            key={place.to}
            place={place}
            textClass={wide}
            isCurrent={isAtSetting && place.isSetting === true}
          />
        ))}
      </nav>
      <div className="mt-auto flex flex-col gap-0.5 pt-2">
        <DocsLink textClass={wide} />
        {mode === 'cloud' && <OrganizationChoice className={folded ? 'hidden' : 'hidden lg:block'} />}
        {mode === 'cloud' && <WhoIsIn isFolded={folded} />}
      </div>
      <div className={`flex gap-1 ${folded ? 'flex-col' : 'flex-col lg:flex-row'}`}>
        <ThemeChoice small />
        <IconButton label="Keyboard shortcuts" onClick={onHelp}>
          <Keyboard aria-hidden />
        </IconButton>
        <a
          href={changelog}
          aria-label={`What’s new in ${version}`}
          title={`What’s new in ${version}`}
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-ink"
        >
          <Sparkles aria-hidden className="size-4" />
        </a>
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
  /** Beyond its own address. */
  readonly isCurrent?: boolean;
  readonly onPick?: () => void;
}

export function PlaceLink({
  place: { to, title, icon: Icon, startsGroup },
  textClass = '',
  isCurrent = false,
  onPick,
}: PlaceLinkProps) {
  return (
    <Link
      to={to}
      title={title}
      onClick={onPick}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      aria-current={isCurrent ? 'page' : undefined}
      className={`${linkLook} ${startsGroup === true ? 'mt-2' : ''} aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink`}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <LinkText textClass={textClass}>{title}</LinkText>
    </Link>
  );
}

export const linkLook =
  'flex h-8 shrink-0 items-center gap-2.5 rounded-md px-2.5 text-sm text-muted hover:bg-sunken hover:text-ink sm:h-7.5';

/** For screen readers also where there is room for the icon alone. */
function LinkText({ textClass, children }: { readonly textClass: string; readonly children: string }) {
  return (
    <>
      <span className={`${textClass} truncate`}>{children}</span>
      <span className={textClass === '' ? 'hidden' : 'sr-only lg:hidden'}>{children}</span>
    </>
  );
}

export const changelog = '/docs/project/changelog';

/** The documentation is served by the gateway, but is no page of this application. */
export function DocsLink({ textClass = '' }: { readonly textClass?: string }) {
  return (
    <a href="/docs/" title="Documentation" className={linkLook}>
      <BookOpen aria-hidden className="size-4 shrink-0" />
      <LinkText textClass={textClass}>Documentation</LinkText>
    </a>
  );
}

/** Only for people with several organizations. */
export function OrganizationChoice({ className = '' }: { readonly className?: string }) {
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
