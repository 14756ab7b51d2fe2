//! What requests to a bucket are signed with, from ring, which TLS uses as well. The feature `ring` of `object_store`
//! would do the same, and compile ring another way for everybody.

use object_store::Error;
use object_store::client::{
    CryptoProvider, DigestAlgorithm, DigestContext, HmacContext, Signer, SigningAlgorithm,
};
use ring::{digest, hmac};

/// SHA-256, and HMAC by it (AWS Signature Version 4).
#[derive(Debug)]
pub(super) struct Hashes;

struct Digest(digest::Context, Option<digest::Digest>);

struct Mac(hmac::Context, Option<hmac::Tag>);

impl CryptoProvider for Hashes {
    fn digest(&self, algorithm: DigestAlgorithm) -> object_store::Result<Box<dyn DigestContext>> {
        match algorithm {
            DigestAlgorithm::Sha256 => Ok(Box::new(Digest(digest::Context::new(&digest::SHA256), None))),
            _ => Err(unknown()),
        }
    }

    fn hmac(&self, algorithm: DigestAlgorithm, key: &[u8]) -> object_store::Result<Box<dyn HmacContext>> {
        match algorithm {
            DigestAlgorithm::Sha256 => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, key);
                Ok(Box::new(Mac(hmac::Context::with_key(&key), None)))
            }
            _ => Err(unknown()),
        }
    }

    fn sign(&self, _: SigningAlgorithm, _: &[u8]) -> object_store::Result<Box<dyn Signer>> {
        // Only Google's own protocol signs with RSA.
        Err(unknown())
    }
}

impl DigestContext for Digest {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(&mut self) -> object_store::Result<&[u8]> {
        Ok(digest::Digest::as_ref(self.1.insert(self.0.clone().finish())))
    }
}

impl HmacContext for Mac {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn finish(&mut self) -> object_store::Result<&[u8]> {
        Ok(hmac::Tag::as_ref(self.1.insert(self.0.clone().sign())))
    }
}

fn unknown() -> Error {
    Error::NotSupported { source: "another algorithm than S3 needs".into() }
}
