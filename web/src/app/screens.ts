import type { ComponentType } from 'react';
import type { paths } from '@/config/paths';

/**
 * The screens other than Home by the names of their paths, each loaded when it is first opened. The build writes here
 * which files each needs, which Home does without.
 */
export const SCREENS = {
  vehicle: async () => (await import('@/app/routes/vehicle')).VehicleRoute,
  history: async () => (await import('@/app/routes/history')).HistoryRoute,
  pricing: async () => (await import('@/app/routes/pricing')).PricingRoute,
  profile: async () => (await import('@/app/routes/profile')).ProfileRoute,
  subscribe: async () => (await import('@/app/routes/subscribe')).SubscribeRoute,
  manageSubscription: async () =>
    (await import('@/app/routes/manage-subscription')).ManageSubscriptionRoute,
  contact: async () => (await import('@/app/routes/contact')).ContactRoute,
  privacy: async () => (await import('@/app/routes/privacy')).PrivacyRoute,
  terms: async () => (await import('@/app/routes/terms')).TermsRoute,
  // Without a category there is nothing to browse; the screen says so.
  parts: async () => (await import('@/app/routes/parts')).PartsRoute,
  partsCategory: async () => (await import('@/app/routes/parts')).PartsRoute,
  shop: async () => (await import('@/app/routes/shop')).ShopRoute,
  catalog: async () => (await import('@/app/routes/catalog')).CatalogRoute,
  catalogType: async () => (await import('@/app/routes/catalog-type')).CatalogTypeRoute,
  catalogDoctor: async () => (await import('@/app/routes/catalog-doctor')).CatalogDoctorRoute,
  shopParts: async () => (await import('@/app/routes/shop-parts')).ShopPartsRoute,
  priceLists: async () => (await import('@/app/routes/price-lists')).PriceListsRoute,
  crossReferences: async () => (await import('@/app/routes/cross-references')).CrossReferencesRoute,
  shopTeam: async () => (await import('@/app/routes/shop/team')).ShopTeamRoute,
  shopAccuracy: async () => (await import('@/app/routes/shop/accuracy')).ShopAccuracyRoute,
  shopApiKeys: async () => (await import('@/app/routes/shop/api-keys')).ShopApiKeysRoute,
  shopWebhooks: async () => (await import('@/app/routes/shop/webhooks')).ShopWebhooksRoute,
  shopUsage: async () => (await import('@/app/routes/shop/usage')).ShopUsageRoute,
  shopExports: async () => (await import('@/app/routes/shop/exports')).ShopExportsRoute,
  unsubscribe: async () => (await import('@/app/routes/unsubscribe')).UnsubscribeRoute,
  bench: async () => (await import('@/app/routes/bench')).BenchRoute,
  batches: async () => (await import('@/app/routes/batches')).BatchesRoute,
  pastScans: async () => (await import('@/app/routes/past-scans')).PastScansRoute,
  batch: async () => (await import('@/app/routes/batch')).BatchRoute,
  batchSheet: async () => (await import('@/app/routes/batch-sheet')).BatchSheetRoute,
  shopGrades: async () => (await import('@/app/routes/shop/grades')).ShopGradesRoute,
  vehicleDatabase: async () => (await import('@/app/routes/carquery-test')).VehicleDatabaseRoute,
  notFound: async () => (await import('@/app/routes/not-found')).NotFoundRoute,
} satisfies Record<Exclude<keyof typeof paths, 'home'> | 'notFound', () => Promise<ComponentType>>;
