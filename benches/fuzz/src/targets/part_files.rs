use std::sync::LazyLock;

use partsight_app::{MAX_PART_ROWS, PartFormat, PartImport, PartImportReport, PartRowStatus};
use partsight_domain::PartLabel;

use super::records_csv::outcome;
use crate::shop::in_shop;

/// The type of the parts whose rows do not say it.
static LABEL: LazyLock<PartLabel> = LazyLock::new(|| PartLabel::new("spark-plug").expect("the label is one"));
/// Files with more rows than this are only tried, not saved.
const MAX_SAVED: usize = 200;

/// A file of parts: CSV, or ACES and PIES where the first byte is odd. What can be saved is saved, and its export,
/// imported again, must change nothing.
pub(crate) fn part_files(data: &[u8]) {
    let Some((&choice, body)) = data.split_first() else { return };
    in_shop(async |shop| {
        let user = shop.user().await;
        let label = (choice & 2 == 0).then(|| LABEL.clone());
        let import =
            PartImport { body: body.into(), is_xml: choice & 1 == 1, label: label.clone(), is_dry_run: true };
        let Some(tried) = outcome(shop.app.parts.import_shop_parts(&user, import.clone()).await) else {
            return;
        };
        assert!(tried.rows.len() <= MAX_PART_ROWS && !tried.is_saved);
        if tried.count(PartRowStatus::Error) > 0 || brings(&tried) == 0 || tried.rows.len() > MAX_SAVED {
            return;
        }
        shop.spoil();
        let saved = shop.app.parts.import_shop_parts(&user, PartImport { is_dry_run: false, ..import }).await;
        let saved = saved.expect("what a dry run takes is taken");
        assert!(saved.is_saved && brings(&saved) == brings(&tried), "{tried:?} became {saved:?}");
        for format in [PartFormat::Csv, PartFormat::Aces, PartFormat::Pies] {
            let file =
                shop.app.parts.export_shop_parts(&user, format).await.expect("so few parts are exported");
            let is_xml = format != PartFormat::Csv;
            let again =
                PartImport { body: file.as_bytes().into(), is_xml, label: label.clone(), is_dry_run: true };
            // A file of ACES without a part that fits something has no application, and is refused as empty.
            let again = match shop.app.parts.import_shop_parts(&user, again).await {
                Ok(again) => again,
                Err(_) if is_xml && !file.contains("<PartNumber>") => continue,
                Err(error) => panic!("our own {format:?} is refused: {error:?}\n{file}"),
            };
            assert!(
                again.count(PartRowStatus::Error) == 0 && brings(&again) == 0,
                "{format:?} comes back as {again:?}\n{file}"
            );
        }
    });
}

/// Rows that change what is saved.
fn brings(report: &PartImportReport) -> usize {
    report.count(PartRowStatus::New) + report.count(PartRowStatus::Changed)
}
