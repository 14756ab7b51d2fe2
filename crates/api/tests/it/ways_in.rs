use reqwest::Method;
use serde_json::json;

use crate::client::send;
use crate::{Client, TestApp};

/// An API key and a calendar address, which open an account without its password.
pub(crate) struct WaysIn {
    visitor: Client,
    key: String,
    calendar: String,
}

impl WaysIn {
    /// Gives everybody Business, and makes both in the account of this client.
    pub(crate) async fn leave(app: &TestApp, client: &Client) -> Self {
        app.execute("UPDATE app_user SET plan = 'business'").await;
        let key = client.post("/api/api-keys", &json!({ "name": "till", "scopes": ["garage-read"] })).await;
        let calendar = client.post("/api/calendar", &json!({})).await;
        Self {
            visitor: app.client(),
            key: key.expect_status(201).json()["key"].as_str().unwrap().to_owned(),
            calendar: calendar.expect_status(201).json()["path"].as_str().unwrap().to_owned(),
        }
    }

    /// What a call with the key, and one of the calendar, are answered with.
    pub(crate) async fn statuses(&self) -> (u16, u16) {
        let request = self.visitor.request(Method::GET, "/api/vehicles").bearer_auth(&self.key);
        (send(request).await.status, self.visitor.get(&self.calendar).await.status)
    }
}
