mod backup;
mod crash;
mod erasure;
mod quotas;
