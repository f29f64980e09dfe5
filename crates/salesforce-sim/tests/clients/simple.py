"""simple-salesforce as a program uses it: one operation a run, its outcome as JSON.

simple.py OPERATION    where and how to log in comes as JSON on standard input
"""

import csv
import io
import json
import sys
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from simple_salesforce import Salesforce

TOLD = json.load(sys.stdin)
VERSION = "62.0"


class PlainSession(requests.Session):
    """The client insists on https and on hosts of Salesforce; this one leads it to the simulator."""

    def request(self, method, url, **options):
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        return super().request(method, TOLD["url"] + parts.path + query, **options)


def connect(**over):
    login = {"consumer_key": TOLD["client_id"], "consumer_secret": TOLD["client_secret"], "domain": "conformance.my"}
    return Salesforce(**{**login, **over}, version=VERSION, session=PlainSession())


def contact(number):
    return {"ExternalId__c": f"C-{number:04}", "LastName": f'Name "{number:04}", Zoë', "Version__c": 1}


def contacts(count):
    return [contact(number) for number in range(1, count + 1)]


def rows(text):
    # Salesforce names no charset here, so the client reads bytes as Latin-1 (its issue 706).
    return list(csv.DictReader(io.StringIO(text.encode("latin-1").decode())))


def results(api, job):
    return {
        "counted": {"processed": job["numberRecordsProcessed"], "failed": job["numberRecordsFailed"]},
        "successful": rows(api.get_successful_records(job["job_id"])),
        "failed": rows(api.get_failed_records(job["job_id"])),
        "unprocessed": rows(api.get_unprocessed_records(job["job_id"])),
    }


def bulk(salesforce, records, name="Contact"):
    api = getattr(salesforce.bulk2, name)
    [job] = api.upsert(records=records, external_id_field="ExternalId__c", wait=0.05)
    return results(api, job)


def organization(salesforce):
    [found] = salesforce.query("SELECT Id, Name FROM Organization")["records"]
    return {"name": found["Name"], "same_id": salesforce.session_id.startswith(found["Id"][:15])}


def mistake(doing):
    """What the client makes of an error is what a program sees of it."""
    try:
        doing()
        return "no error"
    except Exception as error:
        content = getattr(error, "content", None)
        first = content[0] if isinstance(content, list) and isinstance(content[0], dict) else {}
        return {
            "kind": type(error).__name__,
            "code": first.get("errorCode") or getattr(error, "code", None),
            "message": first.get("message") or str(error),
        }


def authenticates_with_client_credentials():
    return organization(connect())


def connect_with_key(**key):
    return connect(username=TOLD["username"], consumer_secret=None, domain="login", **key)


def authenticates_with_jwt_bearer():
    return organization(connect_with_key(privatekey_file=TOLD["key_file"]))


def upserts_one_record():
    api = connect().Contact
    upsert = lambda version: api.upsert(
        "ExternalId__c/C-1", {"LastName": "Ames", "Version__c": version}, raw_response=True
    ).json()
    done = [upsert(1), upsert(2)]
    read = api.get(done[0]["id"])
    return {"results": done, "read": {name: read[name] for name in ["LastName", "Version__c"]}}


def upserts_a_collection_with_a_bad_row():
    attributes = {"type": "Contact"}
    records = [
        {"attributes": attributes, "ExternalId__c": "C-1", "LastName": "Ames"},
        {"attributes": attributes, "ExternalId__c": "C-2", "FirstName": "Nameless"},
        {"attributes": attributes, "ExternalId__c": "C-3", "LastName": "Cole"},
    ]
    body = {"allOrNone": False, "records": records}
    return connect().restful("composite/sobjects/Contact/ExternalId__c", method="PATCH", json=body)


def runs_a_composite_with_references():
    objects = f"/services/data/v{VERSION}/sobjects"
    requests_of_it = [
        {
            "method": "POST",
            "url": f"{objects}/Account",
            "referenceId": "account",
            "body": {"Name": "Ames & Co"},
        },
        {
            "method": "PATCH",
            "url": f"{objects}/Contact/ExternalId__c/C-1",
            "referenceId": "contact",
            "body": {"LastName": "Ames", "AccountId": "@{account.id}"},
        },
        {
            "method": "GET",
            "url": f"{objects}/Contact/@{{contact.id}}?fields=AccountId",
            "referenceId": "read",
        },
    ]
    body = {"allOrNone": True, "compositeRequest": requests_of_it}
    return connect().restful("composite", method="POST", json=body)


def runs_a_bulk_job_with_good_and_bad_rows():
    salesforce = connect()
    bulk(salesforce, [contact(1)])
    records = contacts(250)
    records[9]["LastName"] = ""
    records[19]["LastName"] = "x" * 81
    return bulk(salesforce, records)


def reads_unprocessed_rows_of_a_bulk_job():
    return bulk(connect(), contacts(500))


def deletes_one_by_one_and_in_bulk():
    salesforce = connect()
    created = [salesforce.Contact.create(record)["id"] for record in contacts(4)]
    one, two, three, four = created
    single = salesforce.Contact.delete(one) == 204
    ids = ",".join([two, three])
    several = salesforce.restful("composite/sobjects", params={"ids": ids}, method="DELETE")
    [job] = salesforce.bulk2.Contact.delete(records=[{"Id": four}], wait=0.05)
    return {
        "deleted": [single, *(result["success"] for result in several)],
        "bulk": len(results(salesforce.bulk2.Contact, job)["successful"]),
        "left": salesforce.query("SELECT Id FROM Contact")["totalSize"],
    }


def queries_more_than_one_page():
    salesforce = connect()
    bulk(salesforce, contacts(2500))
    page = salesforce.query("SELECT Id, ExternalId__c FROM Contact")
    total, pages, seen = page["totalSize"], [], set()
    while True:
        pages.append(len(page["records"]))
        seen.update(record["ExternalId__c"] for record in page["records"])
        if page["done"]:
            return {"total": total, "pages": pages, "distinct": len(seen)}
        page = salesforce.query_more(page["nextRecordsUrl"], identifier_is_url=True)


def reads_limits():
    salesforce = connect()
    daily = salesforce.limits()["DailyApiRequests"]
    usage = salesforce.api_usage["api-usage"]
    return {"daily": daily, "header": {"used": int(usage.used), "limit": int(usage.total)}}


def describes_objects_and_fields():
    salesforce = connect()
    described = salesforce.Contact.describe()
    objects = [found["name"] for found in salesforce.describe()["sobjects"]]
    return {"objects": objects, **{name: described[name] for name in ["name", "keyPrefix", "fields"]}}


def is_told_its_mistakes():
    salesforce = connect()
    good = {"LastName": "Ames"}
    upsert = lambda name, record, key="ExternalId__c/C-1": lambda: getattr(salesforce, name).upsert(key, record)
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for twin in contacts(2):
        salesforce.Contact.create({**twin, "Legacy__c": "L-1"})
    return {
        "key": mistake(lambda: connect_with_key(privatekey=stranger)),
        "secret": mistake(lambda: connect(consumer_secret="wrong")),
        "object": mistake(upsert("Nothing__c", good)),
        "field": mistake(upsert("Contact", {**good, "Nothing__c": 1})),
        "value": mistake(upsert("Contact", {})),
        "twins": mistake(upsert("Contact", good, "Legacy__c/L-1")),
        "query": mistake(lambda: salesforce.query("SELECT Nothing__c FROM Contact")),
        "job": mistake(lambda: bulk(salesforce, contacts(1), "Nothing__c")),
        "column": mistake(lambda: bulk(salesforce, [{**contact(1), "Nothing__c": 1}])),
    }


def refreshes_a_session_that_was_revoked():
    api = connect().Contact
    done = api.upsert("ExternalId__c/C-0001", {"LastName": "Ames"}, raw_response=True)
    return {"created": done.json()["created"]}


def loses_its_session_inside_a_bulk_job():
    salesforce = connect()
    return mistake(lambda: bulk(salesforce, contacts(3)))


print(json.dumps(globals()[sys.argv[1]]()))
