//! Embeds the photographs of a folder by fastembed, as its documentation does: `fastembed-peer ONNX_FOLDER PHOTOS`.

use std::{env, error::Error, fs, path::PathBuf};

use fastembed::{ImageEmbedding, ImageInitOptionsUserDefined, UserDefinedImageEmbeddingModel};

/// Images in one run; its own default is 256, which was slower and took gigabytes.
const BATCH: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let [folder, photos] =
        env::args().skip(1).map(PathBuf::from).collect::<Vec<_>>().try_into().map_err(|_| "two folders")?;
    let model = UserDefinedImageEmbeddingModel::new(
        fs::read(folder.join("vision_model.onnx"))?,
        fs::read(folder.join("preprocessor_config.json"))?,
    );
    let mut embedding =
        ImageEmbedding::try_new_from_user_defined(model, ImageInitOptionsUserDefined::default())?;
    let mut paths =
        fs::read_dir(photos)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    println!("{}", embedding.embed(&paths, Some(BATCH))?.len());
    Ok(())
}
