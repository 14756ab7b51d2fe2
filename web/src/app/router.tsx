import { createBrowserRouter, type RouteObject } from 'react-router';
import { RouteFailure } from '@/app/shell/route-failure';
import { Shell } from '@/app/shell/shell';
import { Spinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';

/** All screens; each is loaded when it is first opened. */
const routes: RouteObject[] = [
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
          {
            path: paths.vehicle,
            lazy: async () => ({ Component: (await import('@/app/routes/vehicle')).VehicleRoute }),
          },
          {
            path: paths.history,
            lazy: async () => ({ Component: (await import('@/app/routes/history')).HistoryRoute }),
          },
          {
            path: paths.pricing,
            lazy: async () => ({ Component: (await import('@/app/routes/pricing')).PricingRoute }),
          },
          {
            path: paths.profile,
            lazy: async () => ({ Component: (await import('@/app/routes/profile')).ProfileRoute }),
          },
          {
            path: paths.subscribe,
            lazy: async () => ({
              Component: (await import('@/app/routes/subscribe')).SubscribeRoute,
            }),
          },
          {
            path: paths.manageSubscription,
            lazy: async () => ({
              Component: (await import('@/app/routes/manage-subscription')).ManageSubscriptionRoute,
            }),
          },
          {
            path: paths.contact,
            lazy: async () => ({ Component: (await import('@/app/routes/contact')).ContactRoute }),
          },
          {
            path: paths.privacy,
            lazy: async () => ({ Component: (await import('@/app/routes/privacy')).PrivacyRoute }),
          },
          {
            path: paths.terms,
            lazy: async () => ({ Component: (await import('@/app/routes/terms')).TermsRoute }),
          },
          // Without a category there is nothing to browse; the screen says so.
          ...[paths.partsCategory, paths.parts].map((path) => ({
            path,
            lazy: async () => ({ Component: (await import('@/app/routes/parts')).PartsRoute }),
          })),
          {
            path: paths.catalog,
            lazy: async () => ({ Component: (await import('@/app/routes/catalog')).CatalogRoute }),
          },
          {
            path: paths.catalogType,
            lazy: async () => ({
              Component: (await import('@/app/routes/catalog-type')).CatalogTypeRoute,
            }),
          },
          {
            path: paths.catalogDoctor,
            lazy: async () => ({
              Component: (await import('@/app/routes/catalog-doctor')).CatalogDoctorRoute,
            }),
          },
          {
            path: paths.shopParts,
            lazy: async () => ({
              Component: (await import('@/app/routes/shop-parts')).ShopPartsRoute,
            }),
          },
          {
            path: paths.priceLists,
            lazy: async () => ({
              Component: (await import('@/app/routes/price-lists')).PriceListsRoute,
            }),
          },
          {
            path: paths.vehicleDatabase,
            lazy: async () => ({
              Component: (await import('@/app/routes/carquery-test')).VehicleDatabaseRoute,
            }),
          },
          {
            path: '*',
            lazy: async () => ({
              Component: (await import('@/app/routes/not-found')).NotFoundRoute,
            }),
          },
        ],
      },
    ],
  },
];

export function createRouter() {
  return createBrowserRouter(routes);
}
