use partsight_domain::is_web_address;
use partsight_providers::read_offers;

/// Most offers that are read, and most characters of one text.
const MAX_OFFERS: usize = 50;
const MAX_TEXT_CHARS: usize = 300;

/// What a supplier answered: by the first byte a shop's own service, or eBay's search for a part number.
pub(crate) fn supplier_answer(data: &[u8]) {
    let Some((&choice, body)) = data.split_first() else { return };
    let of_ebay = (choice & 1 == 1).then_some("45251-TR0-A00");
    let Ok(offers) = read_offers(body, of_ebay) else { return };
    assert!(offers.len() <= MAX_OFFERS, "{} offers", offers.len());
    for offer in offers {
        assert!(offer.price.is_some_and(|price| price.ten_thousandths() > 0), "{offer:?}");
        let links = [Some(&offer.website).filter(|link| !link.is_empty()), offer.url.as_ref()];
        assert!(links.into_iter().flatten().all(|link| is_web_address(link)), "{offer:?}");
        let texts = [
            (Some(&offer.supplier), 1),
            (offer.phone.as_ref(), 1),
            (offer.part_number.as_ref(), 1),
            (offer.shipping_info.as_ref(), 1),
            (offer.warranty_info.as_ref(), 1),
            // Joined from several.
            (offer.notes.as_ref(), 3),
        ];
        for (text, n_joined) in texts.into_iter().filter_map(|(text, n)| Some((text?, n))) {
            assert!(text.chars().count() <= n_joined * MAX_TEXT_CHARS, "{text:?} is too long");
            assert!(!text.chars().any(char::is_control), "{text:?} has control characters");
        }
    }
}
