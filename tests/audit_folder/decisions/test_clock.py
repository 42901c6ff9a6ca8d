from errata.audit_folder.decisions._event import sortable_time, time_after


def test_time_goes_on_even_if_the_clock_does_not():
    times = [time_after("")]
    for _ in range(500):
        times.append(time_after(times[-1]))
    assert times == sorted(set(times))
    assert {len(time) for time in times} == {27}


def test_a_clock_that_is_behind_still_goes_on():
    assert time_after("2999-12-31T23:59:59.999999Z") == "3000-01-01T00:00:00.000000Z"


def test_years_keep_their_four_digits_to_sort():
    assert sortable_time("0099-01-01") == "0099-01-01T00:00:00.000000Z"
