use partsight_domain::settings;

settings! {
    /// Programs that are notified of events: [webhooks](api.md#webhooks). Each account enters the addresses of its own.
    pub struct WebhookSettings {
        /// Whether webhooks may also go to this machine and to private addresses (`10.0.0.0/8`, `172.16.0.0/12`,
        /// `192.168.0.0/16`, `fc00::/7`), and without encryption. For a server whose users may all reach what is there.
        "webhook_private_addresses" private_addresses: bool = false;
    }
}
