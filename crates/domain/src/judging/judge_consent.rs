/// Consent to send a user's photographs to the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsentToJudge {
    /// Their own decision; `None` if never made.
    pub own: Option<bool>,
    /// The decision of their company; outer `None` without a company, inner `None` if it never decided.
    pub company: Option<Option<bool>>,
}

impl ConsentToJudge {
    /// Whether their photographs may be sent. `by_default` is the server's default without a decision.
    ///
    /// A company's consent is an offer: a person's own refusal overrides it. Its refusal, or the default without its
    /// decision, applies to all its members, because it pays.
    pub fn allows(self, by_default: bool) -> bool {
        // In a company, its decision replaces one's own; without a decision the server's default applies.
        let offered = self.company.unwrap_or(self.own).unwrap_or(by_default);
        offered && !self.is_refused_by_self()
    }

    /// Whether they have refused for themselves.
    pub fn is_refused_by_self(self) -> bool {
        self.own == Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_ones_own_is_stronger_than_the_yes_of_a_company() {
        const YES: Option<bool> = Some(true);
        const NO: Option<bool> = Some(false);
        // Own decision, the company's, and whether photographs may be sent if the default is no, and if it is yes.
        let cases = [
            (None, None, false, true),
            (YES, None, true, true),
            (NO, None, false, false),
            (None, Some(None), false, true),
            (None, Some(YES), true, true),
            (None, Some(NO), false, false),
            (YES, Some(None), false, true),
            (YES, Some(YES), true, true),
            (YES, Some(NO), false, false),
            (NO, Some(None), false, false),
            (NO, Some(YES), false, false),
            (NO, Some(NO), false, false),
        ];
        for (own, company, where_no, where_yes) in cases {
            let consent = ConsentToJudge { own, company };
            let allows = (consent.allows(false), consent.allows(true));
            assert_eq!(allows, (where_no, where_yes), "{consent:?}");
        }
    }
}
