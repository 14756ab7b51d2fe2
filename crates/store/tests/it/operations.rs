mod backup;
mod quotas;
