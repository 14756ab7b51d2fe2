/**
 * The screens other than Home by their names, each loaded when it is first opened. The build writes here which files
 * each needs, which Home does without.
 */
export const SCREENS = {
  VehicleRoute: async () => (await import('@/app/routes/vehicle')).VehicleRoute,
  HistoryRoute: async () => (await import('@/app/routes/history')).HistoryRoute,
  PricingRoute: async () => (await import('@/app/routes/pricing')).PricingRoute,
  ProfileRoute: async () => (await import('@/app/routes/profile')).ProfileRoute,
  SubscribeRoute: async () => (await import('@/app/routes/subscribe')).SubscribeRoute,
  ManageSubscriptionRoute: async () =>
    (await import('@/app/routes/manage-subscription')).ManageSubscriptionRoute,
  ContactRoute: async () => (await import('@/app/routes/contact')).ContactRoute,
  PrivacyRoute: async () => (await import('@/app/routes/privacy')).PrivacyRoute,
  UnsubscribeRoute: async () => (await import('@/app/routes/unsubscribe')).UnsubscribeRoute,
  TermsRoute: async () => (await import('@/app/routes/terms')).TermsRoute,
  PartsRoute: async () => (await import('@/app/routes/parts')).PartsRoute,
  ShopRoute: async () => (await import('@/app/routes/shop')).ShopRoute,
  CatalogRoute: async () => (await import('@/app/routes/catalog')).CatalogRoute,
  CatalogTypeRoute: async () => (await import('@/app/routes/catalog-type')).CatalogTypeRoute,
  CatalogDoctorRoute: async () => (await import('@/app/routes/catalog-doctor')).CatalogDoctorRoute,
  ShopPartsRoute: async () => (await import('@/app/routes/shop-parts')).ShopPartsRoute,
  PriceListsRoute: async () => (await import('@/app/routes/price-lists')).PriceListsRoute,
  CrossReferencesRoute: async () =>
    (await import('@/app/routes/cross-references')).CrossReferencesRoute,
  BenchRoute: async () => (await import('@/app/routes/bench')).BenchRoute,
  BatchesRoute: async () => (await import('@/app/routes/batches')).BatchesRoute,
  PastScansRoute: async () => (await import('@/app/routes/past-scans')).PastScansRoute,
  BatchSheetRoute: async () => (await import('@/app/routes/batch-sheet')).BatchSheetRoute,
  ShopGradesRoute: async () => (await import('@/app/routes/shop/grades')).ShopGradesRoute,
  BatchRoute: async () => (await import('@/app/routes/batch')).BatchRoute,
  ShopTeamRoute: async () => (await import('@/app/routes/shop/team')).ShopTeamRoute,
  ShopAccuracyRoute: async () => (await import('@/app/routes/shop/accuracy')).ShopAccuracyRoute,
  ShopApiKeysRoute: async () => (await import('@/app/routes/shop/api-keys')).ShopApiKeysRoute,
  ShopWebhooksRoute: async () => (await import('@/app/routes/shop/webhooks')).ShopWebhooksRoute,
  ShopUsageRoute: async () => (await import('@/app/routes/shop/usage')).ShopUsageRoute,
  ShopExportsRoute: async () => (await import('@/app/routes/shop/exports')).ShopExportsRoute,
  VehicleDatabaseRoute: async () =>
    (await import('@/app/routes/carquery-test')).VehicleDatabaseRoute,
  NotFoundRoute: async () => (await import('@/app/routes/not-found')).NotFoundRoute,
};
