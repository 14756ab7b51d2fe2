import { createBrowserRouter, generatePath, replace, type RouteObject } from 'react-router';
import type { SCREENS } from '@/app/screens';
import { RouteFailure } from '@/app/shell/route-failure';
import { Shell } from '@/app/shell/shell';
import { Spinner } from '@/components/ui/spinner';
import { movedPaths, paths } from '@/config/paths';

/** A screen whose code is loaded when it is first opened. The list of screens is loaded with the first of them. */
const screen = (path: string, name: keyof typeof SCREENS): RouteObject => ({
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
          screen(paths.vehicle, 'VehicleRoute'),
          screen(paths.history, 'HistoryRoute'),
          screen(paths.pricing, 'PricingRoute'),
          screen(paths.profile, 'ProfileRoute'),
          screen(paths.subscribe, 'SubscribeRoute'),
          screen(paths.manageSubscription, 'ManageSubscriptionRoute'),
          screen(paths.contact, 'ContactRoute'),
          screen(paths.privacy, 'PrivacyRoute'),
          screen(paths.unsubscribe, 'UnsubscribeRoute'),
          screen(paths.terms, 'TermsRoute'),
          // Without a category there is nothing to browse; the screen says so.
          ...[paths.partsCategory, paths.parts].map((path) => screen(path, 'PartsRoute')),
          screen(paths.shop, 'ShopRoute'),
          screen(paths.catalog, 'CatalogRoute'),
          screen(paths.catalogType, 'CatalogTypeRoute'),
          screen(paths.catalogDoctor, 'CatalogDoctorRoute'),
          screen(paths.shopParts, 'ShopPartsRoute'),
          screen(paths.priceLists, 'PriceListsRoute'),
          screen(paths.crossReferences, 'CrossReferencesRoute'),
          screen(paths.bench, 'BenchRoute'),
          screen(paths.batches, 'BatchesRoute'),
          screen(paths.pastScans, 'PastScansRoute'),
          screen(paths.batchSheet, 'BatchSheetRoute'),
          screen(paths.shopGrades, 'ShopGradesRoute'),
          screen(paths.batch, 'BatchRoute'),
          screen(paths.shopTeam, 'ShopTeamRoute'),
          screen(paths.shopAccuracy, 'ShopAccuracyRoute'),
          screen(paths.shopApiKeys, 'ShopApiKeysRoute'),
          screen(paths.shopWebhooks, 'ShopWebhooksRoute'),
          screen(paths.shopUsage, 'ShopUsageRoute'),
          screen(paths.shopExports, 'ShopExportsRoute'),
          ...Object.entries(movedPaths).map(moved),
          screen(paths.vehicleDatabase, 'VehicleDatabaseRoute'),
          screen('*', 'NotFoundRoute'),
        ],
      },
    ],
  },
];

export function createRouter() {
  return createBrowserRouter(routes);
}
