import { createBrowserRouter, generatePath, replace, type RouteObject } from 'react-router';
import type { SCREENS } from '@/app/screens';
import { RouteFailure } from '@/app/shell/route-failure';
import { Shell } from '@/app/shell/shell';
import { Spinner } from '@/components/ui/spinner';
import { movedPaths, paths } from '@/config/paths';

type ScreenName = keyof typeof SCREENS;

const NAMES = Object.keys(paths).filter(
  (name): name is Exclude<keyof typeof paths, 'home'> => name !== 'home',
);

/** A screen whose code is loaded when it is first opened. The list of screens is loaded with the first of them. */
const screen = (path: string, name: ScreenName): RouteObject => ({
  path,
  lazy: async () => ({ Component: await (await import('@/app/screens')).SCREENS[name]() }),
});

/** An earlier address: it leads on with what was asked of it, and Back does not come to it again. */
const moved = ([from, to]: [string, string]): RouteObject => ({
  path: from,
  loader: ({ params, request }) => {
    const { search, hash } = new URL(request.url);
    return replace(`${generatePath(to, params)}${search}${hash}`);
  },
});

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    HydrateFallback: () => <Spinner label="Loading..." />,
    ErrorBoundary: RouteFailure,
    children: [
      {
        ErrorBoundary: RouteFailure,
        children: [
          {
            path: paths.home,
            lazy: async () => ({ Component: (await import('@/app/routes/home')).HomeRoute }),
          },
          ...NAMES.map((name) => screen(paths[name], name)),
          ...Object.entries(movedPaths).map(moved),
          screen('*', 'notFound'),
        ],
      },
    ],
  },
];

export function createRouter() {
  return createBrowserRouter(routes);
}
