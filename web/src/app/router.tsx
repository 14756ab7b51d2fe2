import type { ComponentType } from 'react';
import { createBrowserRouter, generatePath, replace, type RouteObject } from 'react-router';
import { RouteFailure } from '@/app/shell/route-failure';
import { Shell } from '@/app/shell/shell';
import { Spinner } from '@/components/ui/spinner';
import { movedPaths, paths } from '@/config/paths';

/** A screen whose code is loaded when it is first opened. */
const screen = (path: string, load: () => Promise<ComponentType>): RouteObject => ({
  path,
  lazy: async () => ({ Component: await load() }),
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
          screen(paths.home, async () => (await import('@/app/routes/home')).HomeRoute),
          screen(paths.vehicle, async () => (await import('@/app/routes/vehicle')).VehicleRoute),
          screen(paths.history, async () => (await import('@/app/routes/history')).HistoryRoute),
          screen(paths.pricing, async () => (await import('@/app/routes/pricing')).PricingRoute),
          screen(paths.profile, async () => (await import('@/app/routes/profile')).ProfileRoute),
          screen(
            paths.subscribe,
            async () => (await import('@/app/routes/subscribe')).SubscribeRoute,
          ),
          screen(
            paths.manageSubscription,
            async () => (await import('@/app/routes/manage-subscription')).ManageSubscriptionRoute,
          ),
          screen(paths.contact, async () => (await import('@/app/routes/contact')).ContactRoute),
          screen(paths.privacy, async () => (await import('@/app/routes/privacy')).PrivacyRoute),
          screen(
            paths.unsubscribe,
            async () => (await import('@/app/routes/unsubscribe')).UnsubscribeRoute,
          ),
          screen(paths.terms, async () => (await import('@/app/routes/terms')).TermsRoute),
          // Without a category there is nothing to browse; the screen says so.
          ...[paths.partsCategory, paths.parts].map((path) =>
            screen(path, async () => (await import('@/app/routes/parts')).PartsRoute),
          ),
          screen(paths.shop, async () => (await import('@/app/routes/shop')).ShopRoute),
          screen(paths.catalog, async () => (await import('@/app/routes/catalog')).CatalogRoute),
          screen(
            paths.catalogType,
            async () => (await import('@/app/routes/catalog-type')).CatalogTypeRoute,
          ),
          screen(
            paths.catalogDoctor,
            async () => (await import('@/app/routes/catalog-doctor')).CatalogDoctorRoute,
          ),
          screen(
            paths.shopParts,
            async () => (await import('@/app/routes/shop-parts')).ShopPartsRoute,
          ),
          screen(
            paths.priceLists,
            async () => (await import('@/app/routes/price-lists')).PriceListsRoute,
          ),
          screen(
            paths.crossReferences,
            async () => (await import('@/app/routes/cross-references')).CrossReferencesRoute,
          ),
          screen(paths.bench, async () => (await import('@/app/routes/bench')).BenchRoute),
          screen(paths.batches, async () => (await import('@/app/routes/batches')).BatchesRoute),
          screen(
            paths.pastScans,
            async () => (await import('@/app/routes/past-scans')).PastScansRoute,
          ),
          screen(
            paths.batchSheet,
            async () => (await import('@/app/routes/batch-sheet')).BatchSheetRoute,
          ),
          screen(
            paths.shopGrades,
            async () => (await import('@/app/routes/shop/grades')).ShopGradesRoute,
          ),
          screen(paths.batch, async () => (await import('@/app/routes/batch')).BatchRoute),
          screen(
            paths.shopTeam,
            async () => (await import('@/app/routes/shop/team')).ShopTeamRoute,
          ),
          screen(
            paths.shopAccuracy,
            async () => (await import('@/app/routes/shop/accuracy')).ShopAccuracyRoute,
          ),
          screen(
            paths.shopApiKeys,
            async () => (await import('@/app/routes/shop/api-keys')).ShopApiKeysRoute,
          ),
          screen(
            paths.shopWebhooks,
            async () => (await import('@/app/routes/shop/webhooks')).ShopWebhooksRoute,
          ),
          screen(
            paths.shopUsage,
            async () => (await import('@/app/routes/shop/usage')).ShopUsageRoute,
          ),
          screen(
            paths.shopExports,
            async () => (await import('@/app/routes/shop/exports')).ShopExportsRoute,
          ),
          ...Object.entries(movedPaths).map(moved),
          screen(
            paths.vehicleDatabase,
            async () => (await import('@/app/routes/carquery-test')).VehicleDatabaseRoute,
          ),
          screen('*', async () => (await import('@/app/routes/not-found')).NotFoundRoute),
        ],
      },
    ],
  },
];

export function createRouter() {
  return createBrowserRouter(routes);
}
