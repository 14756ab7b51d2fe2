use partsight_app::{App, Delimiter, ListFileOptions, PriceListOptions, PriceListReport};
use partsight_domain::{DecimalSign, PriceListForm, User};

use super::records_csv::outcome;
use crate::shop::in_shop;

/// A price list; the first two bytes say how it is read and in which pieces it arrives. It must not matter where one
/// piece ends.
pub(crate) fn price_list(data: &[u8]) {
    let Some((&[choice, piece], body)) = data.split_first_chunk() else { return };
    let options = PriceListOptions {
        form: PriceListForm { supplier: Some("Lee".to_owned()), ..PriceListForm::default() },
        decimal_sign: [None, Some(DecimalSign::Point), Some(DecimalSign::Comma), None]
            [usize::from(choice >> 2 & 3)],
        file: ListFileOptions {
            mapping: [("price".to_owned(), "Net EUR".to_owned())]
                .into_iter()
                .take(usize::from(choice >> 6 & 1))
                .collect(),
            delimiter: [None, Some(Delimiter::Comma), Some(Delimiter::Semicolon), Some(Delimiter::Tab)]
                [usize::from(choice & 3)],
            is_dry_run: true,
            skips_errors: choice >> 4 & 1 == 1,
        },
    };
    in_shop(async |shop| {
        let user = shop.user().await;
        let whole = read(&shop.app, &user, options.clone(), body, body.len().max(1)).await;
        let pieces = read(&shop.app, &user, options, body, usize::from(piece) + 1).await;
        assert_eq!(whole, pieces, "pieces of {} bytes", usize::from(piece) + 1);
        if let Some(PriceListReport { list, prices, .. }) = whole {
            let n_read = list.n_accepted + prices.n_skipped + list.n_errors;
            assert_eq!(list.n_rows, n_read, "{list:?}");
            assert!(list.saved_as.is_none() && prices.n_unknown <= list.n_accepted, "{list:?} {prices:?}");
        }
    });
}

/// The report on a list that arrives in pieces of this size; nothing for one that is refused.
async fn read(
    app: &App,
    user: &User,
    options: PriceListOptions,
    body: &[u8],
    piece: usize,
) -> Option<PriceListReport> {
    let mut upload = app
        .parts
        .receive_price_list(user, options)
        .await
        .expect("the form is right, and nobody else is here");
    for bytes in body.chunks(piece) {
        if outcome(upload.push(bytes).await).is_none() {
            upload.abandon().await;
            return None;
        }
    }
    outcome(upload.finish().await)
}
