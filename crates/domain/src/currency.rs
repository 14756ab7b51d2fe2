use std::fmt;

use serde::{Deserialize, Serialize};

use crate::InvalidInput;

/// The currencies in use (ISO 4217, without metals, funds and test codes).
const CODES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD \
     CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD \
     HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD \
     MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG \
     QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD \
     TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

/// Currencies written with a dollar sign: dollars and pesos.
const WITH_DOLLAR_SIGN: &str = "ARS AUD BBD BMD BND BSD BZD CAD CLP COP DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD \
     SRD TTD TWD USD UYU XCD";

/// A currency by its three letters (ISO 4217).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// The US dollar.
    pub const USD: Self = Self(*b"USD");

    /// The currency with this code, in any case.
    ///
    /// # Errors
    /// Names the field `currency` for a code that is not in use.
    pub fn new(text: &str) -> Result<Self, InvalidInput> {
        let code = text.trim().to_ascii_uppercase();
        let known = CODES.split(' ').find(|known| *known == code);
        known.and_then(|known| known.as_bytes().try_into().ok()).map(Self).ok_or_else(|| {
            // Truncated, because the message repeats user input.
            let shown: String = text.trim().chars().take(20).collect();
            InvalidInput::new(
                "currency",
                format!("`{shown}` is no currency; please use three letters such as USD or EUR."),
            )
        })
    }

    /// Whether it is written with a dollar sign.
    pub fn has_dollar_sign(&self) -> bool {
        WITH_DOLLAR_SIGN.split(' ').any(|code| code == self.as_str())
    }

    /// Its three letters, upper case.
    pub fn as_str(&self) -> &str {
        // Always ASCII letters of the table.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TryFrom<String> for Currency {
    type Error = InvalidInput;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_currency_is_one_in_use() {
        for (text, code) in [("usd", "USD"), (" EUR ", "EUR"), ("Jpy", "JPY")] {
            assert_eq!(Currency::new(text).unwrap().as_str(), code);
        }
        for bad in ["", "US", "EURO", "XXX", "$", "12A", "USD EUR"] {
            assert_eq!(Currency::new(bad).unwrap_err().field, "currency", "{bad}");
        }
        assert!(WITH_DOLLAR_SIGN.split(' ').all(|code| Currency::new(code).unwrap().has_dollar_sign()));
        assert!(!Currency::new("EUR").unwrap().has_dollar_sign());
        assert!(CODES.split(' ').all(|code| code.len() == 3 && Currency::new(code).is_ok()));
    }
}
