use partsight_domain::settings;

settings! {
    /// [Notifications](garage.md#notifications) of reminders in browsers. They go through the push service of the
    /// browser's maker, encrypted for the browser alone.
    pub struct PushSettings {
        /// Whether people may have notifications in their browsers. Off unless set, because each one leaves this machine.
        /// Needs `https`, or a browser on this machine. `webhook_private_addresses` applies to push services too.
        "web_push" enabled: bool = false;
    }
}
