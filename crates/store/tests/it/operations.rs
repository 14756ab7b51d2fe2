mod backup;
mod crash;
mod erasure;
mod indexes;
mod quotas;
