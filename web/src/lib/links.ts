/** Searches on a retailer's own site, for those with a search that an address can carry. */
const RETAILER_SEARCHES: Record<string, string> = {
  AutoZone: 'https://www.autozone.com/searchresult?searchText=',
  "O'Reilly Auto Parts": 'https://www.oreillyauto.com/search?q=',
  'Advance Auto Parts': 'https://shop.advanceautoparts.com/web/SearchResults?searchTerm=',
  NAPA: 'https://www.napaonline.com/en/search?text=',
  Amazon: 'https://www.amazon.com/s?i=automotive&k=',
  'eBay Motors': 'https://www.ebay.com/sch/6028/i.html?_nkw=',
  'Summit Racing': 'https://www.summitracing.com/search?keyword=',
  'FCP Euro': 'https://www.fcpeuro.com/Parts?keywords=',
};

/** Retailers whose own search needs more than words: a web search limited to their site. */
const RETAILER_SITES: Record<string, string> = {
  RockAuto: 'rockauto.com',
  'CarParts.com': 'carparts.com',
  'Tire Rack': 'tirerack.com',
  'Car-Part.com': 'car-part.com',
  LKQ: 'lkqonline.com',
  Crutchfield: 'crutchfield.com',
};

export function videoSearchHref(query: string): string {
  return `https://www.youtube.com/results?search_query=${encodeURIComponent(query)}`;
}

export function webSearchHref(query: string): string {
  return `https://duckduckgo.com/?q=${encodeURIComponent(query)}`;
}

/** A search for `query` at `retailer`; a general web search when the retailer is unknown. */
export function retailerSearchHref(retailer: string, query: string): string {
  const search = RETAILER_SEARCHES[retailer];
  if (search !== undefined) return search + encodeURIComponent(query);
  const site = RETAILER_SITES[retailer];
  return webSearchHref(site === undefined ? `${retailer} ${query}` : `${query} site:${site}`);
}

/** The address if a link may open it, else null: supplier data must not carry `javascript:`. */
export function webAddress(address: string | null | undefined): string | null {
  if (!address) return null;
  try {
    const url = new URL(address);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch {
    return null;
  }
}
