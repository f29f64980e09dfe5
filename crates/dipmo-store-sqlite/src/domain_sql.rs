//! The statements of a group of domain writes.

use dipmo_store::WriteGroup;

use crate::ddl::quoted;
use crate::sql::Sql;

/// A statement, and which values of a row it takes as ?1, ?2 and so on.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) sql: Sql,
    pub(crate) columns: Vec<usize>,
}

/// What to run for each row of a group, one after the other.
pub(crate) fn of(group: &WriteGroup) -> Vec<Statement> {
    if group.deletes {
        return vec![delete(group)];
    }
    // Not an upsert: that would refuse to change some columns of a row that is there when another
    // column is required. A row that was updated is there for the insert, which then does nothing.
    update(group).into_iter().chain([insert(group)]).collect()
}

/// Changes the row, with a version only to a newer one; none when only the key is given.
fn update(group: &WriteGroup) -> Option<Statement> {
    let columns: Vec<_> = (0..group.columns.len()).collect();
    let others: Vec<_> =
        group.columns.iter().copied().filter(|name| !group.table.is_key(name)).collect();
    let set = equations(group, &columns, &others, "=", ", ");
    let newer = group.table.version.filter(|version| others.contains(version));
    let text = format!(
        "UPDATE {} SET {set} WHERE {}{}",
        quoted(group.table.name),
        this_row(group, &columns),
        newer.map_or_else(String::new, |name| and(group, &columns, name, "<")),
    );
    (!others.is_empty()).then(|| Statement { sql: Sql::dynamic("domain_update", text), columns })
}

/// Makes the row, if it is not there.
fn insert(group: &WriteGroup) -> Statement {
    let columns: Vec<_> = (0..group.columns.len()).collect();
    let names: Vec<_> = group.columns.iter().map(|name| quoted(name)).collect();
    let places: Vec<_> = columns.iter().map(|at| format!("?{}", at + 1)).collect();
    let table = quoted(group.table.name);
    let text = format!(
        "INSERT INTO {table} ({}) SELECT {} WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE {})",
        names.join(", "),
        places.join(", "),
        this_row(group, &columns),
    );
    Statement { sql: Sql::dynamic("domain_insert", text), columns }
}

/// Deletes the row; with a version given, only that one or an older one.
fn delete(group: &WriteGroup) -> Statement {
    let version = group.table.version.filter(|version| group.columns.contains(version));
    let takes = |name: &str| group.table.is_key(name) || version == Some(name);
    let columns: Vec<_> = (0..group.columns.len()).filter(|at| takes(group.columns[*at])).collect();
    let text = format!(
        "DELETE FROM {} WHERE {}{}",
        quoted(group.table.name),
        this_row(group, &columns),
        version.map_or_else(String::new, |name| and(group, &columns, name, "<=")),
    );
    Statement { sql: Sql::dynamic("domain_delete", text), columns }
}

fn this_row(group: &WriteGroup, columns: &[usize]) -> String {
    equations(group, columns, &group.table.key, "=", " AND ")
}

fn and(group: &WriteGroup, columns: &[usize], name: &'static str, operator: &str) -> String {
    format!(" AND {}", equations(group, columns, &[name], operator, ""))
}

/// `"A" = ?1, "B" = ?2` for some names. A name that is not among the columns equals nothing.
fn equations(
    group: &WriteGroup,
    columns: &[usize],
    names: &[&'static str],
    operator: &str,
    between: &str,
) -> String {
    let equation = |name: &&'static str| {
        let place = columns.iter().position(|at| group.columns[*at] == *name);
        let value = place.map_or_else(|| "NULL".to_owned(), |at| format!("?{}", at + 1));
        format!("{} {operator} {value}", quoted(name))
    };
    names.iter().map(equation).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use dipmo_api::DomainWrite;
    use dipmo_api::table::{Column, ColumnKind, DomainTable};
    use dipmo_store::{WriteStep, fold_writes};

    fn table() -> Arc<DomainTable> {
        DomainTable {
            name: "HITS",
            columns: vec![
                Column::new("ORDER", ColumnKind::Text(20)).required(),
                Column::new("REVISION", ColumnKind::Integer).required(),
                Column::new("STATUS", ColumnKind::Text(20)),
            ],
            key: vec!["ORDER"],
            version: Some("REVISION"),
        }
        .checked()
        .unwrap()
    }

    fn texts(write: DomainWrite) -> Vec<(String, Vec<usize>)> {
        let [WriteStep::Rows(group)] = &fold_writes(&[write])[..] else { panic!("one group") };
        let statements = of(group);
        statements.into_iter().map(|it| (it.sql.text.into_owned(), it.columns)).collect()
    }

    #[test]
    fn a_write_updates_then_inserts() {
        let write = DomainWrite::upsert(table()).set("ORDER", "1").set("REVISION", 2);
        let [(update, _), (insert, columns)] = &texts(write)[..] else { panic!("two statements") };
        assert_eq!(
            update,
            r#"UPDATE "HITS" SET "REVISION" = ?2 WHERE "ORDER" = ?1 AND "REVISION" < ?2"#
        );
        assert_eq!(
            insert,
            r#"INSERT INTO "HITS" ("ORDER", "REVISION") SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM "HITS" WHERE "ORDER" = ?1)"#
        );
        assert_eq!(columns, &[0, 1]);
    }

    #[test]
    fn a_delete_takes_key_and_version_alone() {
        let delete = DomainWrite::delete(table()).set("ORDER", "1");
        assert_eq!(
            texts(delete),
            [(r#"DELETE FROM "HITS" WHERE "ORDER" = ?1"#.to_owned(), vec![0])]
        );
        let delete =
            DomainWrite::delete(table()).set("ORDER", "1").set("STATUS", "x").set("REVISION", 2);
        let text = r#"DELETE FROM "HITS" WHERE "ORDER" = ?1 AND "REVISION" <= ?2"#;
        assert_eq!(texts(delete), [(text.to_owned(), vec![0, 1])]);
    }
}
