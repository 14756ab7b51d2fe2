mod backup;
mod erasure;
mod quotas;
