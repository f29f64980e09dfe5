//! What a wave wants to read.

use std::collections::HashSet;

use dipmo_api::{FactRequest, FactSource, Facts};
use dipmo_domain::StoreError;
use dipmo_store::{Found, MOST_PASSED_OVER, Needs, PassedOver, Tables};

use crate::error::unexpected;
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{blocks, domain, states, user_sql};

/// Reads states, facts, blocks and versions; handlers run elsewhere.
pub(crate) fn find(tx: &Tx<'_>, needs: &Needs, tables: &Tables) -> Result<Found, StoreError> {
    let mut found = Found { facts: facts(tx, &needs.facts, tables)?, ..Found::default() };
    for key in &needs.states {
        found.states.extend(states::find(tx, key)?.map(|state| (key.clone(), state)));
    }
    for key in &needs.blocks {
        let block = blocks::find(tx, Which::Inbox, "", key)?;
        found.blocks.extend(block.map(|block| (key.clone(), block)));
    }
    for key in &needs.passed_over {
        let read = |row: &rusqlite::Row<'_>| {
            let (source_system, version) = (row.get(0)?, row.get(1)?);
            Ok(PassedOver { order_key: key.clone(), source_system, version })
        };
        let newest = (key.as_str(), MOST_PASSED_OVER);
        found.passed_over.extend(tx.all(&sql::passed_over(), newest, read)?);
    }
    Ok(found)
}

fn facts(tx: &Tx<'_>, requests: &[FactRequest], tables: &Tables) -> Result<Facts, StoreError> {
    let mut facts = Facts::default();
    // Messages ask for the same fact; its rows must come once.
    for request in requests.iter().collect::<HashSet<_>>() {
        let Some(fact) = tables.fact(request.name) else {
            let problem = format!("the fact {} was not among the tables of migrate", request.name);
            return Err(unexpected("fact_find", problem));
        };
        let rows = match (&fact.source, request.key.one()) {
            (FactSource::Table { table, by }, Some(key)) => domain::find(tx, table, by, key)?,
            (FactSource::Table { .. }, None) => {
                let problem = format!("the fact {} is read by one value", fact.name);
                return Err(StoreError::RowRefused { statement: "fact_find", problem });
            }
            (FactSource::Query { query, .. }, _) => {
                if let Some(problem) = fact.misfit(&request.key) {
                    return Err(StoreError::RowRefused { statement: "query", problem });
                }
                user_sql::find(tx, query, request.key.values())?
            }
        };
        rows.into_iter().for_each(|row| facts.add(request.clone(), row));
    }
    Ok(facts)
}
