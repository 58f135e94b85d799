import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { CloudOff, Ellipsis, Sparkles } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { capabilities } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useRights } from '../parts/rights.tsx';
import { NoAccess } from './no-access.tsx';
import { NotFound } from './not-found.tsx';
import { atHand, homeOf, isAt, type NavigationItem, placesIn } from './places.ts';
import { useReachable } from './reach.ts';
import { SettingTabs } from './setting-tabs.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';
import { changelog, DocsLink, linkLook, OrganizationChoice, PlaceLink, Sidebar } from './sidebar.tsx';
import { ThemeChoice } from './theme-choice.tsx';

const Palette = lazy(() => import('./palette.tsx'));

/** The frame around every page. */
export function Shell() {
  const { data } = useSuspenseQuery(capabilities);
  const may = useRights();
  const all = placesIn(data);
  const places = all.filter(({ needs }) => needs === undefined || may(needs));
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
      <Sidebar
        places={places}
        mode={data.mode}
        version={data.version}
        onSearch={() => setOpen('palette')}
        onHelp={() => setOpen('help')}
      />
      <div className="flex min-w-0 grow flex-col pb-16 sm:pb-0">
        <Away />
        <main id="main" className="min-w-0 grow">
          <Content all={all} places={places} />
        </main>
      </div>
      <BottomBar places={places} onMore={() => setOpen('more')} />
      <Dialog open={open === 'more'} onClose={close} title="More">
        <nav aria-label="More pages" className="flex flex-col">
          {places.slice(atHand).map((place) => (
            <PlaceLink key={place.to} place={place} onPick={close} />
          ))}
          <DocsLink />
          <a href={changelog} className={linkLook}>
            <Sparkles aria-hidden className="size-4 shrink-0" />
            What’s new in {data.version}
          </a>
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

interface ContentProps {
  readonly all: readonly NavigationItem[];
  /** Those that the person can use. */
  readonly places: readonly NavigationItem[];
}

/** Each mode has its own pages, and who is in has no need of the door. */
function Content({ all, places }: ContentProps) {
  const { pathname, search } = useLocation();
  if (entrances.has(pathname)) return <Navigate to="/" replace />;
  const current = all.find((place) => isAt(place, pathname));
  if (current === undefined) return <NotFound />;
  if (!places.includes(current) && !('project' in search)) {
    // A role in a project may be enough for a part of a page.
    if (pathname === '/') return <Navigate to={homeOf(places)} replace />;
    return <NoAccess title={current.title} />;
  }
  return (
    <>
      {current.isSetting && <SettingTabs places={places} />}
      <Outlet />
    </>
  );
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
